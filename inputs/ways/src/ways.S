# What llvm-bolt changes of ways between blocks, each once: a first block that is nops alone, a conditional jump to a tail call, two
# jumps at the end of a block, and a block that is a jump alone.  Public domain, CC0.
	.text
	.globl _start
	.type _start, @function
_start:
	mov $100, %ebx
1:	mov %ebx, %edi
	call first
	mov %ebx, %edi
	call joined
	mov %ebx, %edi
	call turned
	mov %ebx, %edi
	call between
	sub $1, %ebx
	jne 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
	hlt
	.size _start, .-_start

	# The first block is nops alone; the loop leads behind it.
	.globl first
	.type first, @function
first:
	nop
	nop
1:	sub $7, %edi
	ja 1b
	ret
	.size first, .-first

	# A block that ends with two jumps, of which the first leads to a tail call.
	.globl joined
	.type joined, @function
joined:
	test $3, %edi
	je 2f
	jmp 3f
2:	jmp first
3:	mov $5, %edi
	lea (%rdi,%rdi,2), %eax
	ret
	.size joined, .-joined

	# The same, and it is the second that leads there.
	.globl turned
	.type turned, @function
turned:
	test $3, %edi
	jne 3f
	jmp 2f
2:	jmp first
3:	mov $5, %edi
	lea (%rdi,%rdi,2), %eax
	ret
	.size turned, .-turned

	# A jump to a jump.
	.globl between
	.type between, @function
between:
	test $1, %edi
	je 2f
	lea 3(%rdi), %eax
	ret
3:	lea 1(%rdi), %eax
	add %edi, %eax
	ret
2:	jmp 3b
	.size between, .-between
