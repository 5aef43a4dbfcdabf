// The vector table, the reset handler, and functions that Swift cannot express.
  .syntax unified
  .thumb

  .section .vectors, "a"
  .word stack_top_address
  .word reset
  .rept 14
  .word fault
  .endr

  .text
  .macro function name
  .global \name
  .thumb_func
\name:
  .endm

  // Enables the floating-point unit, and initializes variables.
function reset
  ldr r0, =0xE000ED88
  ldr r1, [r0]
  orr r1, r1, #0xF00000
  str r1, [r0]
  dsb
  isb
  ldr r0, =data_start
  ldr r1, =data_end
  ldr r2, =data_in_flash
1: cmp r0, r1
  ittt lo
  ldrlo r3, [r2], #4
  strlo r3, [r0], #4
  blo 1b
  ldr r1, =bss_end
  movs r3, #0
2: cmp r0, r1
  itt lo
  strlo r3, [r0], #4
  blo 2b
  bl run

function fault
  movs r0, #0x18
  ldr r1, =0x20023
  bkpt #0xAB
  b fault

function semihosting
  bkpt #0xAB
  bx lr

function stack_pointer
  mov r0, sp
  bx lr

  .macro address name, symbol
function \name
  ldr r0, =\symbol
  bx lr
  .endm
address stack_top, stack_top_address
address stack_end, stack_end_address
address heap_start, heap_start_address
address heap_end, heap_end_address
address lossy_start, lossy
address lossy_end, lossy_after
address lossless_start, lossless
address lossless_end, lossless_after

  // The names that compilers for ARM call, for functions with other orders of arguments.
function free
  b release_memory
function memcpy
  b memmove
function __aeabi_memcpy
function __aeabi_memcpy4
function __aeabi_memcpy8
function __aeabi_memmove
function __aeabi_memmove4
function __aeabi_memmove8
  b memmove
function __aeabi_memclr
function __aeabi_memclr4
function __aeabi_memclr8
  mov r2, r1
  movs r1, #0
  b memset
function __aeabi_memset
function __aeabi_memset4
function __aeabi_memset8
  mov r3, r1
  mov r1, r2
  mov r2, r3
  b memset

  // 64-bit shifts of r1:r0 by 0 to 63. A register's lowest byte is the shift,
  // and 32 or more shift all bits out. So do negative shifts.
function __aeabi_llsl
  sub r3, r2, #32
  rsb r12, r2, #32
  lsl r1, r1, r2
  lsl r3, r0, r3
  orr r1, r1, r3
  lsr r12, r0, r12
  orr r1, r1, r12
  lsl r0, r0, r2
  bx lr
function __aeabi_llsr
  sub r3, r2, #32
  rsb r12, r2, #32
  lsr r0, r0, r2
  lsr r3, r1, r3
  orr r0, r0, r3
  lsl r12, r1, r12
  orr r0, r0, r12
  lsr r1, r1, r2
  bx lr

  .section .rodata
lossy: .incbin LOSSY
lossy_after:
lossless: .incbin LOSSLESS
lossless_after:
