/* Public domain (CC0): written for this project. */
#pragma once
template <class T> struct Stack { T at[64]; int n = 0; void push(T v) { if (n < 64) at[n++] = v; } T pop() { return n ? at[--n] : T(); } };
