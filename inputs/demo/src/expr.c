/* demo: expressions to a small stack machine, and the machine.  Public domain (CC0). */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "demo.h"

struct parser {
	const char *at;
	struct code *code;
	int depth;
};

static const struct {
	char symbol;
	int binds;
	enum op op;
} binaries[] = {
	{ '<', 1, OP_LESS }, { '+', 2, OP_ADD }, { '-', 2, OP_SUB },
	{ '*', 3, OP_MUL },  { '/', 3, OP_DIV }, { '%', 3, OP_MOD },
};

unsigned long divisions_by_zero;

static long gcd(long a, long b)
{
	return b ? gcd(b, a % b) : a < 0 ? -a : a;
}

static long collatz(long n, long limit)
{
	long steps = 0;
	for (n = n < 0 ? -n : n; n > 1 && steps < limit; steps++)
		n = n & 1 ? 3 * n + 1 : n / 2;
	return steps;
}

static long root(long n, long unused)
{
	(void)unused;
	if (n < 0)
		return -1;
	long low = 0, high = n < 3037000499 ? n + 1 : 3037000499;
	while (low + 1 < high) {
		long mid = low + (high - low) / 2;
		if (mid * mid <= n)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static long (*const builtins[])(long, long) = { gcd, collatz, root };
static const char *const builtin_names[] = { "gcd", "collatz", "root" };

/* The same name as in main.c, on purpose. */
static __attribute__((noinline)) void complain(struct code *code, const char *what)
{
	if (!code->trouble)
		code->trouble = what;
}

static void emit(struct code *code, long word)
{
	if (code->used == sizeof code->words / sizeof *code->words)
		complain(code, "expression too long");
	else
		code->words[code->used++] = word;
}

static void blanks(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static void expression(struct parser *parser, int binds);

static void expect(struct parser *parser, char symbol)
{
	blanks(parser);
	if (*parser->at == symbol)
		parser->at++;
	else
		complain(parser->code, "unexpected symbol");
}

static __attribute__((noinline)) void call(struct parser *parser)
{
	for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
		size_t length = strlen(builtin_names[i]);
		if (strncmp(parser->at, builtin_names[i], length) == 0 && parser->at[length] == '(') {
			parser->at += length + 1;
			expression(parser, 0);
			expect(parser, ',');
			expression(parser, 0);
			expect(parser, ')');
			emit(parser->code, OP_CALL);
			emit(parser->code, (long)i);
			return;
		}
	}
	complain(parser->code, "unknown function");
}

static void operand(struct parser *parser)
{
	blanks(parser);
	char c = *parser->at;
	if (isdigit((unsigned char)c)) {
		long value = 0;
		for (; isdigit((unsigned char)*parser->at); parser->at++)
			value = value * 10 + (*parser->at - '0');
		emit(parser->code, OP_PUSH);
		emit(parser->code, value);
	} else if (c == '(') {
		parser->at++;
		expression(parser, 0);
		expect(parser, ')');
	} else if (c == '-') {
		parser->at++;
		operand(parser);
		emit(parser->code, OP_NEG);
	} else if (c >= 'a' && c <= 'z' && !isalpha((unsigned char)parser->at[1])) {
		parser->at++;
		emit(parser->code, OP_LOAD);
		emit(parser->code, c - 'a');
	} else if (isalpha((unsigned char)c)) {
		call(parser);
	} else {
		complain(parser->code, c ? "operand expected" : "unexpected end");
	}
}

static void expression(struct parser *parser, int binds)
{
	if (++parser->depth > 64)
		complain(parser->code, "nested too deeply");
	else
		operand(parser);
	while (!parser->code->trouble) {
		blanks(parser);
		if (*parser->at == '?' && binds == 0) {
			parser->at++;
			expression(parser, 0);
			expect(parser, ':');
			expression(parser, 0);
			emit(parser->code, OP_SELECT);
			continue;
		}
		size_t i = 0;
		while (i < sizeof binaries / sizeof *binaries && binaries[i].symbol != *parser->at)
			i++;
		if (i == sizeof binaries / sizeof *binaries || binaries[i].binds <= binds)
			break;
		parser->at++;
		expression(parser, binaries[i].binds);
		emit(parser->code, binaries[i].op);
	}
	parser->depth--;
}

int compile(struct code *code, const char *text)
{
	struct parser parser = { text, code, 0 };
	code->used = 0;
	code->trouble = NULL;
	expression(&parser, 0);
	blanks(&parser);
	if (*parser.at && !code->trouble)
		complain(code, "junk at the end");
	emit(code, OP_END);
	return code->trouble != NULL;
}

long execute(const struct code *code, const long variables[26])
{
	long stack[256] = { 0 }, *top = stack;
	for (const long *pc = code->words;;) {
		switch ((enum op)*pc++) {
		case OP_PUSH:
			*++top = *pc++;
			break;
		case OP_LOAD:
			*++top = variables[*pc++];
			break;
		case OP_ADD:
			top--;
			*top = (long)((unsigned long)top[0] + (unsigned long)top[1]);
			break;
		case OP_SUB:
			top--;
			*top = (long)((unsigned long)top[0] - (unsigned long)top[1]);
			break;
		case OP_MUL:
			top--;
			*top = (long)((unsigned long)top[0] * (unsigned long)top[1]);
			break;
		case OP_DIV:
		case OP_MOD:
			top--;
			if (top[1] == 0 || top[1] == -1) {
				if (top[1] == 0 && divisions_by_zero++ == 0)
					fprintf(stderr, "demo: division by zero\n");
				*top = top[1] && pc[-1] == OP_DIV ? (long)-(unsigned long)top[0] : 0;
			} else {
				*top = pc[-1] == OP_DIV ? top[0] / top[1] : top[0] % top[1];
			}
			break;
		case OP_NEG:
			*top = (long)-(unsigned long)*top;
			break;
		case OP_LESS:
			top--;
			*top = top[0] < top[1];
			break;
		case OP_SELECT:
			top -= 2;
			*top = top[0] ? top[1] : top[2];
			break;
		case OP_CALL:
			top--;
			*top = builtins[*pc++](top[0], top[1]);
			break;
		case OP_END:
			return *top;
		}
	}
}
