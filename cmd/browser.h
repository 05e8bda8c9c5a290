/*
 * --open: the user's browser.
 */
#ifndef OBS_CMD_BROWSER_H
#define OBS_CMD_BROWSER_H

/*
 * Open the address with $BROWSER, else xdg-open, without waiting. If that
 * cannot be started, warn.
 */
void browser_open(const char *address);

/* The same for a file name. */
void browser_open_file(const char *path);

#endif
