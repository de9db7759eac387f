// Preloaded into a server: while the file $FAULTS/fail exists, syncing fails; while $FAULTS/slow does, it takes 0.2 s.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int wanted(const char* what) {
  char path[4096];
  const char* folder = getenv("FAULTS");
  if (!folder) return 0;
  snprintf(path, sizeof path, "%s/%s", folder, what);
  return access(path, F_OK) == 0;
}

static int sync_with(const char* name, int file) {
  if (wanted("slow")) usleep(200000);
  if (wanted("fail")) {
    errno = EIO;
    return -1;
  }
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(file);
}

int fsync(int file) { return sync_with("fsync", file); }
int fdatasync(int file) { return sync_with("fdatasync", file); }
