/// Of both programs, which are one command to those who use them.
package let commandVersion = "0.1.0"
