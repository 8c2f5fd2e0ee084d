#include <vector>
#include <cstdio>
#include <string>
struct A{int x; __attribute__((noinline)) int f(int n){ int s=0; for(int i=0;i<n;i++){ int t=i*x; if(t%7==0){ int u=t+s; s+=u; } else s-=t; } return s; } };
int main(int c,char**v){ std::vector<int> w; for(int i=0;i<200;i++){ A a{i}; w.push_back(a.f(i)); } long s=0; for(int k:w) s+=k; std::printf("%ld\n",s); return 0; }
