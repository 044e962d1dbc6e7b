"""Tables of system calls that a copy may make.

:mod:`spark_jupyter.sandbox.walls.seccomp` makes a filter of them. A call that is not named does not exist in a copy (``ENOSYS``): calls of
a later Linux, and those of a processor's other number range (x32). A call named in ``_REFUSED`` gets ``EPERM``, which Python raises as a
PermissionError. Numbers are those of Linux's headers for x86_64 and aarch64 (``include/uapi``), where both have the same.
"""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterator

from msgspec import Struct

from spark_jupyter.protocol.values import Permission

_WORD = 0xFFFFFFFF
"""The half of an argument that the system looks at where the argument is an ``int``."""
_POINTER = 0xFFFFFFFFFFFFFFFF


class Condition(Struct, frozen=True):
    """Holds where argument ``index`` (from 0), as far as ``mask`` goes, is ``value``."""

    index: int
    value: int
    mask: int = _WORD


class Rule(Struct, frozen=True):
    """Reaction to a system call if all conditions hold: ``error`` is the result, 0 allows the call, and a ``pretended`` call is reported
    as done without being done. The first of its rules that fits counts."""

    call: str
    when: tuple[Condition, ...] = ()
    error: int = 0
    pretended: bool = False


def rules(allowed: Collection[Permission]) -> Iterator[Rule]:
    """The filter that all copies with the same permissions share. What no rule fits fails with ``ENOSYS``."""
    for call in _NAMES.split():
        yield Rule(call)
    yield from _opening(write="files" in allowed)
    yield from _locks(real="files" in allowed)
    yield from _choices("fcntl", 1, _FCNTL, otherwise=errno.EINVAL)
    yield from _choices("ioctl", 1, _IOCTL, otherwise=errno.ENOTTY)
    yield from _choices("prctl", 0, _PRCTL, otherwise=errno.EPERM)
    yield Rule("close_range", (Condition(2, 0, _CLOSE_RANGE_UNSHARE),))  # see _THREAD
    yield Rule("close_range", error=errno.EPERM)
    yield from _sockets("network" in allowed)
    yield from _buffers()
    yield from _processes("shell" in allowed)
    for call in _ATTRIBUTES.split():
        yield Rule(call, error=0 if "files" in allowed else errno.EPERM)
    for (
        call
    ) in _EXTENDED_READS.split():  # of any file, readable or not; who copies a file's attributes copes with ENOTSUP
        yield Rule(call, error=0 if "read" in allowed else errno.ENOTSUP)
    for call in _REFUSED.split():
        yield Rule(call, error=errno.EPERM)


def own_rules(pid: int, allowed: Collection[Permission]) -> Iterator[Rule]:
    """The filter on top of that, of one copy: what it may do to itself and to no other process. What no rule fits goes through."""
    for call in ("sched_setaffinity", "prlimit64"):
        yield Rule(call, (Condition(0, 0),))
        yield Rule(call, (Condition(0, pid),))
        yield Rule(call, error=errno.EPERM)
    if "shell" not in allowed:
        for call in ("kill", "tgkill"):
            yield Rule(call, (Condition(0, pid),))
            yield Rule(call, error=errno.EPERM)


def _opening(*, write: bool) -> Iterator[Rule]:
    """Landlock before its third interface does not see that a file which is opened to be read is cut to nothing."""
    for call, flags in (("open", 1), ("openat", 2)):
        if not write:
            for access in (0, 3):
                yield Rule(call, (Condition(flags, _O_TRUNC | access, _O_TRUNC | 3),), errno.EPERM)
        yield Rule(call)


def _locks(*, real: bool) -> Iterator[Rule]:
    """A lock on a file of the user's, a shared one too, would keep the user's own programs waiting. Whoever asks for one (SQLite before
    it reads) gets the answer that it is had: nobody else writes to what the copy may write."""
    for command in _LOCKING:
        yield Rule("fcntl", (Condition(1, command),), pretended=not real)
    yield Rule("flock", pretended=not real)


def _choices(call: str, index: int, values: Collection[int], *, otherwise: int) -> Iterator[Rule]:
    for value in values:
        yield Rule(call, (Condition(index, value),))
    yield Rule(call, error=otherwise)


def _sockets(network: bool) -> Iterator[Rule]:
    """A pair of connected streams, as event loops wake themselves with, reaches nobody. Datagrams would: each may name its receiver.

    The network is the internet's families, and what tells of the routes there. Unix sockets are programs on this machine (Docker's gives
    all of it away, an agent signs), and belong to no permission.
    """
    yield Rule("socketpair", (Condition(0, _AF_UNIX), Condition(1, _SOCK_STREAM, 0xF)))
    yield Rule("socketpair", error=errno.EPERM)
    if network:
        yield Rule("socket", (Condition(0, _AF_INET),))
        yield Rule("socket", (Condition(0, _AF_INET6),))
        yield Rule("socket", (Condition(0, _AF_NETLINK), Condition(2, _NETLINK_ROUTE)))
    yield Rule("socket", error=errno.EPERM)
    for call in _NETWORK.split():
        yield Rule(call, error=0 if network else errno.EPERM)


def _buffers() -> Iterator[Rule]:
    """What a socket may keep is memory that no limit counts, so it stays as it is. Whoever asks for more copes with less."""
    for option in _BUFFER_SIZES:
        yield Rule("setsockopt", (Condition(1, _SOL_SOCKET), Condition(2, option)), pretended=True)
    yield Rule("setsockopt")


def _processes(shell: bool) -> Iterator[Rule]:
    """Without the permission there are threads, and nothing that could outlive the copy."""
    flags = _CLONE_NAMESPACES | _CLONE_TRICKS
    if shell:
        yield Rule("clone", (Condition(0, 0, flags),))
    else:
        yield Rule("clone", (Condition(0, _THREAD, _THREAD | flags),))
    yield Rule("clone", error=errno.EPERM)
    for call in _PROGRAMS.split():
        yield Rule(call, error=0 if shell else errno.EPERM)
    yield Rule("prlimit64", (Condition(2, 0, _POINTER),))  # to look at a limit
    yield Rule("prlimit64", error=errno.EPERM)


_O_TRUNC = 0o1000
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_SOCK_STREAM, _NETLINK_ROUTE = 1, 0
_SOL_SOCKET = 1
_BUFFER_SIZES = (7, 8, 32, 33)
"""SO_SNDBUF, SO_RCVBUF, and what an administrator may set beyond the system's limit."""
_THREAD = 0x00010000 | 0x00000400
"""A thread, with the descriptors of all others: in a table of its own there would be files that nobody sees, and measures."""
_CLOSE_RANGE_UNSHARE = 2
_CLONE_NAMESPACES = 0x7E020000 | 0x80  # mounts, control groups, names, IPC, users, processes, network; time
_CLONE_TRICKS = 0x00002000 | 0x00008000 | 0x00800000  # traced, a child of the kernel's instead of the copy's, untraced

_LOCKING = (6, 7, 37, 38)
"""Of fcntl: taking a lock and giving it back, of a process and of an open file, waiting and not."""
_FCNTL = (0, 1, 2, 3, 4, 5, 9, 36, 1027, 1030, 1032, 1033, 1034)
"""Descriptors, their flags, seals, and looking at locks: no owner for signals, no lease, no notice, no larger pipe."""

_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)
"""Harmless ``ioctl`` requests: terminal type and size, waiting bytes, non-blocking, closing on exec. None types into a terminal."""

_PRCTL = (3, 15, 16, 21, 23, 27, 29, 30, 39, 41, 42, 51, 56, 64, 0x53564D41)
"""Names, timers' slack, large pages, vector lengths, and what only looks. Not the one that lets the copy outlive the kernel (1)."""

_NAMES = """
read write close fstat stat lstat newfstatat statx poll lseek mmap mprotect munmap brk mremap msync mincore madvise pread64 pwrite64
readv writev preadv pwritev preadv2 pwritev2 access faccessat faccessat2 pipe pipe2 select pselect6 ppoll dup dup2 dup3
getcwd chdir fchdir rename renameat renameat2 mkdir mkdirat rmdir creat link linkat unlink unlinkat symlink symlinkat readlink readlinkat
mknod mknodat umask getdents getdents64 statfs fstatfs fsync fdatasync sync_file_range ftruncate fallocate fadvise64 readahead sendfile
copy_file_range splice tee cachestat
rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack restart_syscall pause signalfd signalfd4
sched_yield sched_getaffinity sched_setaffinity sched_getparam sched_getscheduler sched_getattr sched_get_priority_max
sched_get_priority_min sched_rr_get_interval getpriority ioprio_get
nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time times getitimer setitimer alarm timer_create timer_settime
timer_gettime timer_getoverrun timer_delete timerfd_create timerfd_settime timerfd_gettime
getpid getppid gettid getuid geteuid getgid getegid getgroups getresuid getresgid getpgid getpgrp getsid capget
uname sysinfo getrlimit getrusage getcpu getrandom arch_prctl set_tid_address set_robust_list get_robust_list futex futex_waitv futex_wait
futex_wake futex_requeue rseq membarrier mlock mlock2 munlock mbind get_mempolicy set_mempolicy pkey_alloc pkey_free pkey_mprotect
map_shadow_stack
exit exit_group kill tgkill wait4 waitid
epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2
sendto recvfrom shutdown getsockname getpeername getsockopt
"""
"""System calls of a computation: memory, time, threads, files that are open or that Landlock lets be opened, and the copy's own pipes."""

_NETWORK = "connect bind listen accept accept4 sendmsg recvmsg sendmmsg recvmmsg"
"""Messages among them, since those of a copy to itself may hold open files: on their way these belong to nobody, and are not measured."""
_PROGRAMS = "execve execveat fork vfork tkill"
_ATTRIBUTES = """
chmod fchmod fchmodat chown fchown lchown fchownat utime utimes futimesat utimensat truncate setxattr lsetxattr fsetxattr removexattr
lremovexattr fremovexattr
"""
"""System calls beyond Landlock: owners, times and permissions of files, by a path or through a descriptor that is open only for reading."""
_EXTENDED_READS = "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr"

_REFUSED = """
setpgid setsid
shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive
mq_notify mq_getsetattr
ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp pidfd_open pidfd_send_signal pidfd_getfd
rt_sigqueueinfo rt_tgsigqueueinfo setpriority ioprio_set sched_setparam sched_setscheduler sched_setattr setrlimit migrate_pages move_pages
memfd_create memfd_secret uselib perf_event_open bpf userfaultfd seccomp add_key request_key keyctl inotify_init inotify_init1
inotify_add_watch fanotify_init fanotify_mark name_to_handle_at open_by_handle_at
setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset unshare setns chroot pivot_root mount umount2
open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr swapon swapoff reboot sethostname setdomainname settimeofday
clock_settime adjtimex clock_adjtime acct quotactl syslog sync syncfs vhangup personality iopl ioperm modify_ldt remap_file_pages
init_module finit_module delete_module kexec_load kexec_file_load mlockall lookup_dcookie
"""
"""System calls that reach another process, the whole machine or its keys; memory that no limit counts (memfd); and leaving the process
group, which ends with the copy."""
