// What the two programs have in common.

/// Of both programs, which are one command to those who use them.
package let commandVersion = "0.1.0"

/// What `webp inline` calls `webp-inline`, in place of its path, for it to say what was typed.
package let inlineCommandName = "webp inline"
