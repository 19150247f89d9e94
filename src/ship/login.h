/*
 * Credentials from a file, in the format of netrc(5):
 *
 *     machine db1 login bobbin password SECRET
 *     machine db2:8443 login bobbin password SECRET
 *     default login bobbin password SECRET
 *
 * The file must be readable by its owner alone. It is read again before each
 * connection, so that credentials can be replaced while bobbin runs.
 */
#ifndef SHIP_LOGIN_H
#define SHIP_LOGIN_H

#include "core/error.h"

#define LOGIN_MAX 1024

struct login {
	char user[LOGIN_MAX], password[LOGIN_MAX]; /* "" if there is none */
};

/* Sets *ret to the first entry for a host. Returns BOB_OK; FAILED if the file
 * cannot be read, or others may read it. Without an entry both are "". */
int login_read(struct bob_ctx *ctx, const char *path, const char *host,
    unsigned port, struct login *ret);

/* Overwrites it. */
void login_forget(struct login *l);

#endif
