// Ends, tears or stops a process at a chosen moment: the N-th time that it changes a file below a folder.
//
// Loaded into the process with LD_PRELOAD. Tests compile it (Tests/TestSupport/CrashPoints.swift).
//
//   FLEETKIT_CRASH_FOLDER  only changes to files below this folder count
//   FLEETKIT_CRASH_LOG     receives a line for every change: number, microseconds, call, bytes, path below the folder
//   FLEETKIT_CRASH_AT      the number of the change at which something happens, starting at 1
//   FLEETKIT_CRASH_HOW     what happens:
//                          kill: SIGKILL instead of the change
//                          tear: the first half of a write, then SIGKILL; like kill for all other changes
//                          stop: SIGSTOP before the change
//                          lose: reverts all writes that were not synced, then SIGKILL, which simulates a power failure
//                          a number: SIGKILL this number of microseconds later, while the process continues
//
// "lose" does not revert changes of names, because file systems write them in order. This file makes system calls
// directly, because it replaces the C library's functions for them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static const char *folder, *how;
static size_t folder_length;
static long crash_at;
static int log_file = -1;
static atomic_long count;
static struct timespec start;

__attribute__((constructor)) static void begin(void) {
  folder = getenv("FLEETKIT_CRASH_FOLDER");
  folder_length = folder ? strlen(folder) : 0;
  how = getenv("FLEETKIT_CRASH_HOW");
  const char *at = getenv("FLEETKIT_CRASH_AT");
  crash_at = at ? atol(at) : 0;
  const char *log = getenv("FLEETKIT_CRASH_LOG");
  if (log) log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  clock_gettime(CLOCK_MONOTONIC, &start);
}

// The previous content at the place of a write that is not synced.
struct unsynced {
  struct unsynced *next;
  dev_t device;
  ino_t inode;
  char *path;
  off_t at, size;     // the position of the write, and the size of the file before it
  size_t length;      // the number of bytes in `old`
  unsigned char old[];
};
static struct unsynced *unsynced_writes;
static pthread_mutex_t unsynced_lock = PTHREAD_MUTEX_INITIALIZER;

static int path_of(int file, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  int saved = errno;
  long size = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
  errno = saved;
  if (size <= 0) return 0;
  path[size] = 0;
  return 1;
}

static int loses(void) { return folder_length && crash_at && how && strcmp(how, "lose") == 0; }

// Keeps the bytes that a write or a truncation will replace: at most `length` bytes, starting at `at`.
static void remember(int file, off_t at, size_t length) {
  char path[PATH_MAX];
  struct stat status;
  if (!loses() || !path_of(file, path) || strncmp(path, folder, folder_length) != 0) return;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return;
  size_t there = at < status.st_size ? (size_t)(status.st_size - at) : 0;
  if (there > length) there = length;
  struct unsynced *entry = malloc(sizeof *entry + there);
  if (!entry) return;
  entry->device = status.st_dev;
  entry->inode = status.st_ino;
  entry->path = strdup(path);
  entry->at = at;
  entry->size = status.st_size;
  entry->length = 0;
  // The descriptor may be open only for writing, so the file is opened again. Closing the second descriptor releases
  // the locks on the file, but these programs take their locks again for each transaction, and this is a test of power
  // failures and not of locks.
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long got = syscall(SYS_pread64, file, entry->old, there, at);
  if (got < 0 && there > 0) {
    int reader = (int)syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC, 0);
    if (reader >= 0) {
      got = syscall(SYS_pread64, reader, entry->old, there, at);
      syscall(SYS_close, reader);
    }
  }
  if (got > 0) entry->length = (size_t)got;
  pthread_mutex_lock(&unsynced_lock);
  entry->next = unsynced_writes;
  unsynced_writes = entry;
  pthread_mutex_unlock(&unsynced_lock);
}

// Forgets the writes to a file: after a sync they are permanent.
static void forget(int file) {
  struct stat status;
  if (!loses() || fstat(file, &status) != 0) return;
  pthread_mutex_lock(&unsynced_lock);
  struct unsynced **link = &unsynced_writes;
  while (*link) {
    struct unsynced *entry = *link;
    if (entry->device == status.st_dev && entry->inode == status.st_ino) {
      *link = entry->next;
      free(entry->path);
      free(entry);
    } else {
      link = &entry->next;
    }
  }
  pthread_mutex_unlock(&unsynced_lock);
}

// Opens the file of an entry, whatever its name is now; -1 when the file can no longer be found.
static int reopen(const struct unsynced *entry) {
  struct stat status;
  int file = (int)syscall(SYS_openat, AT_FDCWD, entry->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0);
  if (file >= 0 && fstat(file, &status) == 0 && status.st_dev == entry->device && status.st_ino == entry->inode) {
    return file;
  }
  for (int other = 3; other < 1024; other++) {
    if (fstat(other, &status) != 0 || status.st_dev != entry->device || status.st_ino != entry->inode) continue;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", other);
    return (int)syscall(SYS_openat, AT_FDCWD, link, O_WRONLY | O_CLOEXEC, 0);
  }
  return -1;
}

static void lose(void) {
  pthread_mutex_lock(&unsynced_lock);
  for (struct unsynced *entry = unsynced_writes; entry; entry = entry->next) {
    int file = reopen(entry);
    if (file < 0) continue;
    if (entry->length) syscall(SYS_pwrite64, file, entry->old, entry->length, entry->at);
    syscall(SYS_ftruncate, file, entry->size);
  }
}

static void end_now(void) {
  if (loses()) lose();
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static void *end_later(void *unused) {
  (void)unused;
  long wait = atol(how);
  struct timespec time = {wait / 1000000, wait % 1000000 * 1000};
  nanosleep(&time, NULL);
  end_now();
  return NULL;
}

// Counts a change and acts at the chosen one; 1 when the caller must write only the first half and end the process.
static int change(const char *call, const char *path, long bytes) {
  if (!folder_length || !path || strncmp(path, folder, folder_length) != 0 || path[folder_length] != '/') return 0;
  // Changes to a file without a name do not count, because no other process can read the file.
  size_t length = strlen(path);
  if (length > 10 && strcmp(path + length - 10, " (deleted)") == 0) return 0;
  long number = atomic_fetch_add(&count, 1) + 1;
  if (log_file >= 0) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long microseconds = (now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000;
    char line[PATH_MAX + 128];
    int size = snprintf(line, sizeof line, "%ld\t%ld\t%s\t%ld\t%s\n", number, microseconds, call, bytes,
                        path + folder_length + 1);
    if (size > 0) syscall(SYS_write, log_file, line, (size_t)size < sizeof line ? (size_t)size : sizeof line - 1);
  }
  if (number != crash_at || !how) return 0;
  if (strcmp(how, "stop") == 0) {
    kill(getpid(), SIGSTOP);
  } else if (strcmp(how, "tear") == 0 && bytes > 1) {
    return 1;
  } else if (how[0] >= '0' && how[0] <= '9') {
    pthread_t thread;
    pthread_create(&thread, NULL, end_later, NULL);
  } else {
    end_now();
  }
  return 0;
}

static int change_of(const char *call, int file, long bytes) {
  char path[PATH_MAX];
  return folder_length && path_of(file, path) ? change(call, path, bytes) : 0;
}

// Counts a change of a name in an open folder.
static void change_in(const char *call, int in, const char *name) {
  char path[2 * PATH_MAX];
  if (!folder_length || !name) return;
  if (name[0] == '/' || in == AT_FDCWD) {
    change(call, name, 0);
  } else if (path_of(in, path)) {
    size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, "/%s", name);
    change(call, path, 0);
  }
}

ssize_t write(int file, const void *bytes, size_t size) {
  if (change_of("write", file, (long)size)) {
    syscall(SYS_write, file, bytes, size / 2);
    end_now();
  }
  if (loses()) {
    off_t at = syscall(SYS_lseek, file, 0, SEEK_CUR);
    if (at >= 0) remember(file, at, size);
  }
  return syscall(SYS_write, file, bytes, size);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  if (change_of("write", file, (long)size)) {
    syscall(SYS_pwrite64, file, bytes, size / 2, at);
    end_now();
  }
  remember(file, at, size);
  return syscall(SYS_pwrite64, file, bytes, size, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off_t at) { return pwrite(file, bytes, size, at); }

int fsync(int file) {
  change_of("sync", file, 0);
  forget(file);
  return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  change_of("sync", file, 0);
  forget(file);
  return (int)syscall(SYS_fdatasync, file);
}

int ftruncate(int file, off_t size) {
  change_of("truncate", file, 0);
  remember(file, size, (size_t)1 << 30);
  return (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate64(int file, off_t size) { return ftruncate(file, size); }

ssize_t copy_file_range(int in, off_t *in_at, int out, off_t *out_at, size_t size, unsigned flags) {
  change_of("copy", out, 0);
  return syscall(SYS_copy_file_range, in, in_at, out, out_at, size, flags);
}

ssize_t sendfile(int out, int in, off_t *at, size_t size) {
  change_of("copy", out, 0);
  return syscall(SYS_sendfile, out, in, at, size);
}

int rename(const char *from, const char *to) {
  change("rename", to, 0);
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  change_in("rename", to_folder, to);
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  change_in("rename", to_folder, to);
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int link(const char *from, const char *to) {
  change("link", to, 0);
  return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  change_in("link", to_folder, to);
  return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int unlink(const char *path) {
  change("unlink", path, 0);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int unlinkat(int in, const char *path, int flags) {
  change_in(flags & AT_REMOVEDIR ? "rmdir" : "unlink", in, path);
  return (int)syscall(SYS_unlinkat, in, path, flags);
}

int rmdir(const char *path) {
  change("rmdir", path, 0);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdirat(int in, const char *path, mode_t mode) {
  change_in("mkdir", in, path);
  return (int)syscall(SYS_mkdirat, in, path, mode);
}

int mkdir(const char *path, mode_t mode) {
  change("mkdir", path, 0);
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
