/*
 * Opens a page in the browser of the desktop.
 *
 * Command lines can be read by all users of the machine, and the address of the
 * page has a secret. So the browser gets the name of a file that only its owner
 * can read, which leads to the address.
 */
#ifndef CLI_VIEW_BROWSER_H
#define CLI_VIEW_BROWSER_H

struct browser {
	char *folder;   /* of the file; NULL: none */
	char *file;
	int pid;        /* of the program that opens it; 0: not running */
	int was_opened; /* as far as is known */
};

/* Asks the desktop to open the page, if there is a desktop. Does not wait: some
 * openers run as long as the browser. browser_done in any case. */
void browser_open(struct browser *b, const char *url);

/* True if a browser was started for the page, and did not fail. */
int browser_is_open(struct browser *b);

/* Removes the file: the page has been asked for. */
void browser_forget(struct browser *b);

void browser_done(struct browser *b);

#endif
