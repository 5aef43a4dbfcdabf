// What `Concurrency` needs of POSIX and Linux. A C module, because Embedded Swift has no module for the C library.

#ifndef PUREWEBP_CTHREADS_H
#define PUREWEBP_CTHREADS_H

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Functions that Swift does not import, because they are variadic, need _GNU_SOURCE, or differ between C libraries. A
// thread is 0 for the calling one, or the number of the process for its main thread. -1 is returned for an error.

static inline int linux_open(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

// Returns the number of bytes that were written to the mask.
static inline long linux_get_affinity(int thread, void *mask, unsigned long size) {
  return syscall(SYS_sched_getaffinity, thread, size, mask);
}

static inline long linux_set_affinity(int thread, const void *mask, unsigned long size) {
  return syscall(SYS_sched_setaffinity, thread, size, mask);
}

#define LINUX_SCHED_OTHER 0
#define LINUX_SCHED_BATCH 3
#define LINUX_SCHED_IDLE 5

// Without the flag SCHED_RESET_ON_FORK.
static inline long linux_get_policy(int thread) {
  long policy = syscall(SYS_sched_getscheduler, thread);
  return policy < 0 ? policy : policy & ~0x40000000L;
}

static inline long linux_set_policy(int thread, int policy) {
  int priority = 0;  // struct sched_param
  return syscall(SYS_sched_setscheduler, thread, policy, &priority);
}

// Returns 20 minus the niceness: 1 to 40.
static inline long linux_get_priority(int thread) { return syscall(SYS_getpriority, PRIO_PROCESS, thread); }

static inline long linux_set_niceness(int thread, int niceness) {
  return syscall(SYS_setpriority, PRIO_PROCESS, thread, niceness);
}

#endif
