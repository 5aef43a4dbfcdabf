// Constants for the programs `webp` and `webp-inline`, which users see as one command.

package let commandVersion = "0.1.0"

/// The program name that `webp inline` passes to `webp-inline`. Its messages then name the command that the user typed.
package let inlineCommandName = "webp inline"
