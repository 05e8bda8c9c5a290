/*
 * --open: the user's browser.
 */
#ifndef OBS_CMD_BROWSER_H
#define OBS_CMD_BROWSER_H

/*
 * Start the command in $BROWSER, else xdg-open, with the address, and do not
 * wait for it. One that cannot be started is a warning.
 */
void browser_open(const char *address);

/* The same with a file's name. */
void browser_open_file(const char *path);

#endif
