/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Works, as do two children and a grandchild that ran another program before: family ROUNDS */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned work(unsigned rounds);

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	volatile unsigned sum = work(rounds);

	for (int child = 0; child < 2 && argc == 2; child++) {
		if (!fork()) {
			sum += work(rounds);
			if (child)
				execl("/bin/sh", "sh", "-c", "exec \"$0\" \"$1\" again", argv[0], argv[1], (char *)0);
			_exit(0);
		}
	}
	sum += work(rounds);
	while (wait(NULL) > 0)
		;
	return 0;
}
