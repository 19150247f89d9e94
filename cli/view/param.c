/* Numbers in parameters; see the header. */
#include "param.h"

#include <stdio.h>

/* Reads digits up to the end or a mark. Returns 0 and moves *p behind them; -1
 * if there is no number. */
static int
read_number(const char **p, char mark, uint64_t *ret)
{
	uint64_t v = 0;
	const char *at = *p;

	for (; *at >= '0' && *at <= '9'; at++) {
		if (v > (UINT64_MAX - 9) / 10)
			return -1;
		v = v * 10 + (uint64_t)(*at - '0');
	}
	if (at == *p || (*at != '\0' && *at != mark))
		return -1;
	*p = at;
	*ret = v;
	return 0;
}

int
param_number(const struct request *rq, const char *name, uint64_t *ret,
    char *err, size_t n)
{
	const char *p = request_param(rq, name);

	if (p == NULL)
		return 0;
	if (read_number(&p, ',', ret) < 0 || *p != '\0') {
		(void)snprintf(err, n, "%s is not a number", name);
		return -1;
	}
	return 1;
}

int
param_numbers(const struct request *rq, const char *name, uint64_t *v,
    size_t n_most, size_t *ret_n, char *err, size_t n)
{
	const char *p = request_param(rq, name);

	*ret_n = 0;
	for (; p != NULL && *p != '\0'; p += *p == ',') {
		if (*ret_n == n_most || read_number(&p, ',', &v[*ret_n]) < 0) {
			(void)snprintf(err, n, "%s: at most %zu numbers with "
			    "commas", name, n_most);
			return -1;
		}
		++*ret_n;
	}
	return 0;
}

int
param_range(const char *p, uint64_t *from, uint64_t *to)
{
	if (read_number(&p, '-', from) < 0 || *p++ != '-' ||
	    read_number(&p, '\0', to) < 0)
		return -1;
	return 0;
}
