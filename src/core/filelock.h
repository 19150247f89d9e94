/*
 * Telling a file that is being written from one whose writer is gone.
 *
 * A writer locks its file as long as it is open (open file description locks,
 * fcntl(2)). The kernel releases the lock when the writer ends, however it
 * ends. The locks keep nobody from reading or writing. Where the file system
 * has no locks, all of this does nothing.
 */
#ifndef CORE_FILELOCK_H
#define CORE_FILELOCK_H

/* Locks a file that was opened for writing, until it is closed. Returns 1; 0 if
 * somebody else has it locked. */
int filelock_take(int fd);

/* The same for one that was opened for reading: it excludes writers, but not
 * other readers. */
int filelock_share(int fd);

/* True if a writer has the file locked. */
int filelock_is_taken(int fd);

#endif
