/* Running a child and killing it; see the header. */
#include "killed.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

uint32_t
next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

void
report_safe(int fd, uint64_t n)
{
	unsigned k = (unsigned)n;

	if (write(fd, &k, sizeof(k)) != sizeof(k))
		_exit(5);
}

uint64_t
run_and_kill(uint32_t *random, uint64_t n,
    void (*write_on)(const void *user, int report), const void *user)
{
	volatile uint32_t spin = next_random(random) % 20000;
	unsigned n_reports = next_random(random) % 60, safe = 0, k;
	int p[2], status;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)close(p[0]);
		write_on(user, p[1]);
		_exit(0);
	}
	(void)close(p[1]);
	while (n_reports-- > 0 && safe < n &&
	    read(p[0], &k, sizeof(k)) == sizeof(k))
		safe = k;
	while (spin > 0)
		spin--;
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	while (read(p[0], &k, sizeof(k)) == sizeof(k))
		safe = k;
	(void)close(p[0]);
	return safe;
}
