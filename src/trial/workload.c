/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* pipe2(), ppoll() */
#include "src/trial/workload.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/base/sort.h"
#include "src/base/text.h"
#include "src/base/vec.h"

#define STOP_SECONDS 10 /* a server has, from SIGTERM to SIGKILL, where nothing else is said */
#define KILL_SECONDS 10 /* ... and is waited for after that */
#define LOOK_NS      10000000 /* between two looks whether a server is ready */

double seconds_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- words ---- */

static char *filled(const char *word, const char *binary)
{
	const char *here =
		strchr(binary, '/') ? "" : "./"; /* else it would be looked for in PATH */
	size_t size = strlen(word) + 1, step = strlen(here) + strlen(binary);

	for (const char *at = word; (at = strstr(at, "{}")); at += 2)
		size += step;
	char *out = malloc(size), *to = out;
	while (out && *word) {
		if (word[0] == '{' && word[1] == '}') {
			to = stpcpy(stpcpy(to, here), binary);
			word += 2;
		} else {
			*to++ = *word++;
		}
	}
	if (out)
		*to = 0;
	return out;
}

char **template_words(const struct template *of, const char *binary)
{
	char **words = calloc(of->count + 1, sizeof(*words));

	for (size_t i = 0; words && i < of->count; i++)
		if (!(words[i] = binary ? filled(of->words[i], binary) : strdup(of->words[i]))) {
			template_free(words);
			return NULL;
		}
	return words;
}

void template_free(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

bool template_has_binary(const struct template *of)
{
	for (size_t i = 0; i < of->count; i++)
		if (strstr(of->words[i], "{}"))
			return true;
	return false;
}

/* ---- processes ---- */

/* A program that runs. */
struct child {
	pid_t pid;
	bool ended;
	int status;
	struct rusage usage;
	int out, err;         /* what it prints; -1: read to the end */
	int log;              /* 0: none */
	struct sha256 digest; /* of `out` */
	uint64_t written;
	char tail[256]; /* of `err` */
	size_t tail_size;
	double begun, done;
	struct event_counters counters; /* without a kernel: there are none */
};

static void on_child(int number)
{
	(void)number; /* it ends the wait */
}

/* From now on orphans come to this process, and SIGCHLD only where it waits. */
static void begin_waiting(void)
{
	static bool begun;
	const struct sigaction action = {.sa_handler = on_child};
	sigset_t set;

	if (begun)
		return;
	begun = true;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* In the child, until it becomes the program. */
static void become(char **words, int in, int out, int err, int failed, const int *gate)
{
	sigset_t none;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(gate[1]);
	while (read(gate[0], &byte, 1) < 0 && errno == EINTR)
		; /* until its events are open */
	setpgid(0, 0);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(err, STDERR_FILENO) >= 0)
		execvp(words[0], words);
	int why = errno;
	(void)!write(failed, &why, sizeof(why));
	_exit(127);
}

static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static void end_counting(struct child *child)
{
	if (child->counters.kernel)
		event_counters_close(&child->counters);
}

/* How the events of a child are counted. */
enum counting { COUNT_NOTHING, COUNT_FROM_EXEC, COUNT_LATER };

static bool child_start(const struct workload *workload, const struct template *of,
			const char *binary, const char *input, enum counting counting,
			struct child *out, struct bc_error *err)
{
	int pipes[4][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}}, why = 0;
	char **words = template_words(of, binary);

	*out = (struct child){.out = -1, .err = -1, .log = workload->log};
	if (!words)
		return bc_fail_nomem(err);
	int in = open(input ? input : "/dev/null", O_RDONLY | O_CLOEXEC);
	if (in < 0) {
		template_free(words);
		return bc_fail_errno(err, "%s: cannot open", input ? input : "/dev/null");
	}
	bool ok = true;
	for (size_t i = 0; i < BC_COUNT(pipes); i++)
		ok = ok && pipe2(pipes[i], O_CLOEXEC) == 0;
	out->begun = seconds_now();
	out->pid = ok ? fork() : -1;
	if (!out->pid)
		become(words, in, pipes[0][1], pipes[1][1], pipes[2][1], pipes[3]);
	if (out->pid < 0)
		why = errno;
	else if (workload->kernel && counting != COUNT_NOTHING)
		event_counters_open(workload->kernel, out->pid, counting == COUNT_FROM_EXEC,
				    &out->counters);
	const int others[] = {in, pipes[0][1], pipes[1][1], pipes[2][1], pipes[3][0], pipes[3][1]};
	close_all(others, BC_COUNT(others));
	if (out->pid > 0 && read(pipes[2][0], &why, sizeof(why)) == (ssize_t)sizeof(why))
		waitpid(out->pid, &out->status, 0); /* the pipe is closed when it is the program */
	close_all(&pipes[2][0], 1);
	if (why) {
		close_all(&pipes[0][0], 1);
		close_all(&pipes[1][0], 1);
		end_counting(out);
		errno = why;
		if (!binary || strcmp(words[0], binary) != 0)
			bc_fail_errno(err, "%s: cannot be started", words[0]);
		else
			bc_fail_errno(err, "cannot be started");
		if (why == ENOENT)
			err->code = BC_NOTFOUND;
		template_free(words);
		return false;
	}
	template_free(words);
	out->out = pipes[0][0];
	out->err = pipes[1][0];
	sha256_begin(&out->digest);
	return true;
}

/* A full disk loses the rest of a log, and nothing else. */
static void copy_to_log(int log, const char *bytes, size_t size)
{
	ssize_t done;

	while (size && ((done = write(log, bytes, size)) > 0 || (done < 0 && errno == EINTR))) {
		bytes += done > 0 ? done : 0;
		size -= done > 0 ? (size_t)done : 0;
	}
}

/* Takes what is printed: *fd is closed and -1 at its end. */
static void take_output(struct child *child, int *fd)
{
	char buffer[16384];
	ssize_t size = read(*fd, buffer, sizeof(buffer));

	if (size < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (size <= 0) {
		close(*fd);
		*fd = -1;
		return;
	}
	if (child->log)
		copy_to_log(child->log, buffer, (size_t)size);
	if (fd == &child->out) {
		sha256_add(&child->digest, buffer, (size_t)size);
		child->written += (uint64_t)size;
		return;
	}
	size_t most = sizeof(child->tail), taken = (size_t)size < most ? (size_t)size : most;
	size_t kept = child->tail_size < most - taken ? child->tail_size : most - taken;
	memmove(child->tail, child->tail + child->tail_size - kept, kept);
	memcpy(child->tail + kept, buffer + size - taken, taken);
	child->tail_size = kept + taken;
}

static bool has_ended(struct child *child)
{
	if (!child->ended) {
		child->ended = wait4(child->pid, &child->status, WNOHANG, &child->usage) != 0;
		child->done = seconds_now();
	}
	return child->ended;
}

/* Takes its output until it has ended, or until the deadline. */
static bool wait_for(struct child *child, double deadline)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGCHLD);
	while (!has_ended(child)) {
		double left = deadline - seconds_now();
		if (left <= 0)
			return false;
		struct timespec time = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
		struct pollfd polled[] = {{.fd = child->out, .events = POLLIN},
					  {.fd = child->err, .events = POLLIN}};
		if (ppoll(polled, 2, &time, &mask) <= 0)
			continue;
		if (polled[0].revents)
			take_output(child, &child->out);
		if (polled[1].revents)
			take_output(child, &child->err);
	}
	return true;
}

/* What is left in its pipes when it has ended; who else has them still writes for nobody. */
static void take_rest(struct child *child)
{
	int *const fds[] = {&child->out, &child->err};

	for (size_t i = 0; i < BC_COUNT(fds); i++) {
		if (*fds[i] >= 0)
			fcntl(*fds[i], F_SETFL, O_NONBLOCK);
		while (*fds[i] >= 0) {
			struct pollfd polled = {.fd = *fds[i], .events = POLLIN};
			if (poll(&polled, 1, 0) <= 0)
				break;
			take_output(child, fds[i]);
		}
		close_all(fds[i], 1);
		*fds[i] = -1;
	}
}

/* For this process.  Linux lists them where it has CONFIG_PROC_CHILDREN, as distributions do. */
static ssize_t read_children(char *buffer, size_t size)
{
	int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, buffer, size) : -1;

	if (fd >= 0)
		close(fd);
	return length;
}

/* Sends it to each child and to its process group.  Returns how many there are.  Only what a
 * handler of signals may do. */
static size_t signal_children(int number)
{
	char buffer[4096];
	ssize_t length = read_children(buffer, sizeof(buffer));
	size_t count = 0;
	pid_t pid = 0;

	for (ssize_t i = 0; i < length; i++) {
		if (buffer[i] >= '0' && buffer[i] <= '9') {
			pid = pid * 10 + (buffer[i] - '0');
			continue;
		}
		if (pid > 1) {
			/* Once: a second SIGTERM would make some end without writing. */
			if (kill(-pid, number) != 0 || number == SIGKILL)
				kill(pid, number);
			count++;
		}
		pid = 0;
	}
	return count;
}

void workload_abandon(void)
{
	for (int i = 0; i < 1000 && signal_children(SIGKILL); i++)
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
}

/* Ends all that a run left: SIGTERM, and after `patience` seconds SIGKILL. */
static void end_all(double patience)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	double deadline = seconds_now() + patience;

	if (patience > 0)
		signal_children(SIGTERM);
	while (seconds_now() < deadline + KILL_SECONDS &&
	       signal_children(seconds_now() < deadline ? 0 : SIGKILL)) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (signal_children(0))
			nanosleep(&pause, NULL);
	}
}

static void last_line(const struct child *child, char *out, size_t size)
{
	struct text rest = {child->tail, child->tail_size}, line, last = {0};

	while (text_line(&rest, &line))
		if (text_trim(line).len)
			last = text_trim(line);
	snprintf(out, size, "%.*s", (int)(last.len < size ? last.len : size - 1),
		 last.len ? last.at : "");
	make_printable(out);
}

static int exit_code(const struct child *child)
{
	return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) :
					    WEXITSTATUS(child->status);
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* ---- a server ---- */

struct running {
	pid_t pid, parent;
	double children; /* seconds of its own children that have ended */
};
DEFINE_VEC(running_vec, struct running);
#define BY_PID(a, b) ((a)->pid < (b)->pid)
DEFINE_SORT(running_sort, struct running, BY_PID);
DEFINE_SEARCH(running_search, struct running, pid_t, item->pid < key);

/* False: it is gone. */
static bool read_stat(pid_t pid, struct running *out)
{
	char path[64], buffer[1024];
	unsigned long user, system;
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd >= 0 ? read(fd, buffer, sizeof(buffer) - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return false;
	buffer[size] = 0;
	const char *rest = strrchr(buffer, ')'); /* the name before it can have anything */
	if (!rest || sscanf(rest, ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu",
			    &parent, &user, &system) != 3)
		return false;
	*out = (struct running){pid, parent,
				(double)(user + system) / (double)sysconf(_SC_CLK_TCK)};
	return true;
}

/* All of the machine, by pid. */
static bool read_processes(struct running_vec *out, struct bc_error *err)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool ok = true;

	if (!proc)
		return bc_fail_errno(err, "/proc: cannot read");
	while (ok && (entry = readdir(proc))) {
		uint64_t number;
		struct running process;
		if (text_dec(text_of(entry->d_name), &number) && read_stat((pid_t)number, &process))
			ok = running_vec_push(out, process);
	}
	closedir(proc);
	running_sort(out->at, out->len);
	return ok || bc_fail_nomem(err);
}

static const struct running *running_find(const struct running_vec *all, pid_t pid)
{
	size_t at = running_search(all->at, all->len, pid);

	return at < all->len && all->at[at].pid == pid ? &all->at[at] : NULL;
}

static bool descends(const struct running_vec *all, const struct running *process, pid_t from)
{
	for (size_t depth = 0; process && depth < all->len; depth++) {
		if (process->parent == from)
			return true;
		process = running_find(all, process->parent);
	}
	return false;
}

/* Seconds of processor time of all that descend from this process. */
static bool cpu_of_descendants(double *out, struct bc_error *err)
{
	struct running_vec all = {0};

	*out = 0;
	bool ok = read_processes(&all, err);
	for (size_t i = 0; ok && i < all.len; i++) {
		clockid_t clock;
		struct timespec time;
		if (descends(&all, &all.at[i], getpid()) &&
		    clock_getcpuclockid(all.at[i].pid, &clock) == 0 &&
		    clock_gettime(clock, &time) == 0)
			*out += (double)time.tv_sec + (double)time.tv_nsec / 1e9 +
				all.at[i].children;
	}
	running_vec_free(&all);
	return ok;
}

/* Does anybody accept connections there, by IPv4 or IPv6? */
static bool port_accepts(unsigned port)
{
	const struct sockaddr_in v4 = {.sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
					.sin6_port = htons((uint16_t)port),
					.sin6_addr = IN6ADDR_LOOPBACK_INIT};
	const struct {
		const void *address;
		socklen_t size;
		int family;
	} both[] = {{&v4, sizeof(v4), AF_INET}, {&v6, sizeof(v6), AF_INET6}};

	for (size_t i = 0; i < BC_COUNT(both); i++) {
		int fd = socket(both[i].family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		bool accepts = fd >= 0 && connect(fd, both[i].address, both[i].size) == 0;
		if (fd >= 0)
			close(fd);
		if (accepts)
			return true;
	}
	return false;
}

/* Is the server ready?  A command that says so runs once. */
static bool is_ready(const struct workload *workload, const char *binary, double deadline,
		     bool *ready, struct bc_error *err)
{
	struct child child;

	if (workload->port) {
		*ready = port_accepts(workload->port);
		return true;
	}
	if (!child_start(workload, &workload->ready, binary, NULL, COUNT_NOTHING, &child, err))
		return false;
	*ready = wait_for(&child, deadline) && exit_code(&child) == 0;
	if (!child.ended)
		kill(-child.pid, SIGKILL);
	take_rest(&child);
	return true;
}

static bool fail_server(struct child *server, const char *what, enum bc_code code,
			struct bc_error *err)
{
	char said[sizeof(server->tail)];

	take_rest(server);
	last_line(server, said, sizeof(said));
	return bc_fail(err, code, "%s%s%s", what, *said ? ": " : "", said);
}

static bool wait_until_ready(const struct workload *workload, const char *binary,
			     struct child *server, struct bc_error *err)
{
	double deadline = seconds_now() + workload->timeout;
	bool ready = false;

	while (!ready) {
		if (wait_for(server, seconds_now() + LOOK_NS / 1e9))
			return fail_server(server, "the server ended before it was ready", BC_IO,
					   err);
		if (seconds_now() > deadline)
			return fail_server(server, "the server was not ready in time",
					   BC_UNSUPPORTED, err);
		if (!is_ready(workload, binary, deadline, &ready, err))
			return false;
	}
	return true;
}

/* ---- a run ---- */

static bool run_command(const struct workload *workload, const char *binary, struct child *server,
			struct workload_run *out, struct bc_error *err)
{
	struct child child;

	if (!child_start(workload, &workload->command, binary, workload->input,
			 server ? COUNT_NOTHING : COUNT_FROM_EXEC, &child, err))
		return false;
	double deadline = child.begun + workload->timeout;
	bool ended;
	do /* the server's pipes must not fill while it has load */
		ended = wait_for(&child, server ? seconds_now() + LOOK_NS / 1e9 : deadline);
	while (!ended && seconds_now() < deadline && (!server || !wait_for(server, seconds_now())));
	take_rest(&child);
	if (child.counters.kernel)
		event_counters_read(&child.counters, &out->events);
	end_counting(&child);
	if (!ended) {
		kill(-child.pid, SIGKILL);
		return server && server->ended ?
			       fail_server(server, "the server ended while it had load", BC_IO,
					   err) :
			       bc_fail(err, BC_UNSUPPORTED, "a run took longer than %g seconds",
				       workload->timeout);
	}
	out->cpu = seconds_of(child.usage.ru_utime) + seconds_of(child.usage.ru_stime);
	out->wall = child.done - child.begun;
	out->code = exit_code(&child);
	out->written = child.written;
	sha256_end(&child.digest, out->digest);
	last_line(&child, out->said, sizeof(out->said));
	return true;
}

static double patience_of(const struct workload *workload)
{
	return workload->patience > 0 ? workload->patience : STOP_SECONDS;
}

static bool run_served(const struct workload *workload, const char *binary,
		       struct workload_run *out, struct bc_error *err)
{
	struct child server;
	double before = 0, after = 0;

	if (workload->port && port_accepts(workload->port))
		return bc_fail(err, BC_IO, "port %u is in use by another program", workload->port);
	if (!child_start(workload, &workload->serve, binary, NULL, COUNT_LATER, &server, err))
		return false;
	bool ok = wait_until_ready(workload, binary, &server, err) &&
		  cpu_of_descendants(&before, err);
	if (server.counters.kernel)
		event_counters_switch(&server.counters, true);
	ok = ok && run_command(workload, binary, &server, out, err) &&
	     cpu_of_descendants(&after, err);
	if (server.counters.kernel)
		event_counters_read(&server.counters, &out->events);
	end_counting(&server);
	if (ok && wait_for(&server, seconds_now()))
		ok = fail_server(&server, "the server ended while it had load", BC_IO, err);
	if (!server.ended) { /* what it prints when it ends must find its pipes open */
		signal_children(SIGTERM);
		(void)wait_for(&server, seconds_now() + patience_of(workload));
	}
	take_rest(&server);
	out->cpu = after - before;
	return ok;
}

bool workload_run(const struct workload *workload, const char *binary, struct workload_run *out,
		  struct bc_error *err)
{
	*out = (struct workload_run){0};
	begin_waiting();
	bool ok = workload->serve.count ? run_served(workload, binary, out, err) :
					  run_command(workload, binary, NULL, out, err);
	end_all(workload->serve.count ? patience_of(workload) : 0);
	return ok &&
	       (out->code != 127 || bc_fail(err, BC_IO, "the workload cannot run: %s", out->said));
}
