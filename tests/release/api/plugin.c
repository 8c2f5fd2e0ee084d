/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library of which several are made: same code, other name. */
void plugin_run(void (*sample)(void));

__attribute__((visibility("default"))) const char plugin_name[] = PLUGIN_NAME;

__attribute__((visibility("default"), noinline)) void plugin_run(void (*sample)(void))
{
	sample();
	__asm__ volatile("" ::: "memory"); /* no tail call */
}
