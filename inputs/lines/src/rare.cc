/* Public domain (CC0): written for this project. */
extern "C" int rare_c(int);
int rare(int x) { if (x == -77) throw 5; return rare_c(x) + 1; }
