// Ends, tears or stops a process at a chosen moment: the N-th time that it changes a file below a folder.
//
// Loaded into the process with LD_PRELOAD. Tests compile it (Tests/TestSupport/CrashPoints.swift).
//
//   FLEETKIT_CRASH_FOLDER  changes of files below it count; all else passes
//   FLEETKIT_CRASH_LOG     a line for every change: number, microseconds, call, bytes, path below the folder
//   FLEETKIT_CRASH_AT      the change at which something happens, from 1
//   FLEETKIT_CRASH_HOW     kill: SIGKILL instead of the change
//                          tear: the first half of a write, then SIGKILL; like kill for all other changes
//                          stop: SIGSTOP before the change
//                          a number: SIGKILL so many microseconds later, while everything goes on
//
// System calls are made directly: what is replaced here is the C library's door to them.
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

static void end_now(void) {
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

// What happens at a change; 1 when the caller is to write half of it and end.
static int change(const char *call, const char *path, long bytes) {
  if (!folder_length || !path || strncmp(path, folder, folder_length) != 0 || path[folder_length] != '/') return 0;
  // A file that has lost its name is nobody's any more.
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
  if (!folder_length) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  int saved = errno;
  long size = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  errno = saved;
  if (size <= 0) return 0;
  path[size] = 0;
  return change(call, path, bytes);
}

ssize_t write(int file, const void *bytes, size_t size) {
  if (change_of("write", file, (long)size)) {
    syscall(SYS_write, file, bytes, size / 2);
    end_now();
  }
  return syscall(SYS_write, file, bytes, size);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  if (change_of("write", file, (long)size)) {
    syscall(SYS_pwrite64, file, bytes, size / 2, at);
    end_now();
  }
  return syscall(SYS_pwrite64, file, bytes, size, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off_t at) { return pwrite(file, bytes, size, at); }

int fsync(int file) {
  change_of("sync", file, 0);
  return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  change_of("sync", file, 0);
  return (int)syscall(SYS_fdatasync, file);
}

int ftruncate(int file, off_t size) {
  change_of("truncate", file, 0);
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
  change("rename", to, 0);
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  change("rename", to, 0);
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int link(const char *from, const char *to) {
  change("link", to, 0);
  return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  change("link", to, 0);
  return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int unlink(const char *path) {
  change("unlink", path, 0);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int unlinkat(int in, const char *path, int flags) {
  change("unlink", path, 0);
  return (int)syscall(SYS_unlinkat, in, path, flags);
}

int rmdir(const char *path) {
  change("rmdir", path, 0);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdir(const char *path, mode_t mode) {
  change("mkdir", path, 0);
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
