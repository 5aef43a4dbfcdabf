// Shared by the programs webp and webp-inline, which users see as one command.

package let commandVersion = "0.1.0"

/// The name by which `webp inline` calls `webp-inline`, whose messages then name the command that the user typed.
package let inlineCommandName = "webp inline"
