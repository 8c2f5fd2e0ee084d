/* demo - the program that the recordings in this folder were made of.  Public domain (CC0). */
#ifndef DEMO_H
#define DEMO_H

#include <stddef.h>

enum op { OP_PUSH, OP_LOAD, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_NEG, OP_LESS, OP_SELECT, OP_CALL, OP_END };

struct code {
	long words[256];
	size_t used;
	const char *trouble;
};

/* Compiles an expression over the variables a..z; nonzero and code->trouble if it cannot. */
int compile(struct code *code, const char *text);
/* Runs it.  A division by zero gives 0 and is counted. */
long execute(const struct code *code, const long variables[26]);

extern unsigned long divisions_by_zero;

#endif
