#!/usr/bin/perl
# Confines this process by the kernel, then becomes another program. Whatever that program is made to do, by native code in
# it too, is limited to what is allowed here. Needs no module of Perl.
#
#   confine.pl x64|arm64 report|run|required [PATH…] [-- PROGRAM ARGUMENT…]
#
# PROGRAM may read and run the PATHs and what is in them. `run` starts it with whatever the kernel offers, `required` only
# with seccomp and Landlock 3 or later. `report` prints what is in force instead: the version of Landlock, 0 for none, and
# 1 for seccomp.
use strict;
use warnings;

my ($arch, $mode, @rest) = @ARGV;
my @paths;
push @paths, shift @rest while @rest && $rest[0] ne '--';
shift @rest;

# The calls that programs which read files make, with their numbers on x64 and arm64: found by tracing them over every sample
# file, and what libraries use in the place of those. No other call is let through.
my $CALLS = <<'END';
    # what threads wait for
    futex 202 98, futex_waitv 449 449, sched_yield 24 124, membarrier 324 283, rseq 334 293, set_robust_list 273 99
    set_tid_address 218 96, restart_syscall 219 128
    # what comes, and what wakes
    epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441, poll 7 -
    ppoll 271 73, eventfd2 290 19, pipe 22 -, pipe2 293 59
    # memory
    mmap 9 222, munmap 11 215, mprotect 10 226, madvise 28 233, mremap 25 216, brk 12 214
    pkey_alloc 330 289, pkey_free 331 290, pkey_mprotect 329 288
    # what is open
    read 0 63, readv 19 65, pread64 17 67, preadv 295 69, write 1 64, writev 20 66, close 3 57, close_range 436 436
    lseek 8 62, dup 32 23, dup2 33 -, dup3 292 24, fstat 5 80, getsockopt 55 209, getsockname 51 204
    getpeername 52 205, shutdown 48 210
    # files that Landlock lets it have, and folders, which Node makes unless they are there
    open 2 -, openat 257 56, stat 4 -, lstat 6 -, newfstatat 262 79, statx 332 291, access 21 -, faccessat 269 48
    faccessat2 439 439, readlink 89 -, readlinkat 267 78, getdents64 217 61, getcwd 79 17, execve 59 221
    mkdir 83 -, mkdirat 258 34
    # time
    clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115, nanosleep 35 101, gettimeofday 96 169
    time 201 -, times 100 153
    # its own signals
    rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, sigaltstack 131 132, rt_sigpending 127 136
    rt_sigsuspend 130 133, rt_sigtimedwait 128 137, pause 34 -
    # who and where it is
    getpid 39 172, gettid 186 178, getppid 110 173, getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177
    getgroups 115 158, getresuid 118 148, getresgid 120 150, getpgrp 111 -, capget 125 90, uname 63 160
    sysinfo 99 179, getrusage 98 165, getrlimit 97 163, getcpu 309 168, sched_getaffinity 204 123
    sched_getparam 143 121, sched_getscheduler 145 120, sched_get_priority_max 146 125
    sched_get_priority_min 147 126, getrandom 318 278, arch_prctl 158 -
    # its end
    exit 60 93, exit_group 231 94
    # with some arguments: see seccomp()
    prctl 157 167, prlimit64 302 261, tgkill 234 131, ioctl 16 29, fcntl 72 25, clone 56 220
    # not for the program
    capset 126 91
END

my %AUDIT = (x64 => 0xC000003E, arm64 => 0xC00000B7);
my $audit = $AUDIT{$arch} or die "confine: no numbers of system calls for $arch\n";
my %number;
while ($CALLS =~ /(\w+) (\d+|-) (\d+|-)/g) {
    my $of = $arch eq 'x64' ? $2 : $3;
    $number{$1} = $of if $of ne '-';
}

# The same everywhere.
my ($LANDLOCK_CREATE, $LANDLOCK_ADD, $LANDLOCK_RESTRICT) = (444, 445, 446);
my ($PR_SET_PDEATHSIG, $PR_SET_NO_NEW_PRIVS, $PR_SET_SECCOMP, $PR_CAPBSET_DROP) = (1, 38, 22, 24);
my ($O_PATH, $SIGKILL) = (010000000, 9);

sub prctl { return syscall($number{prctl}, @_) }

# A busy program cannot hear that its parent is gone.
prctl($PR_SET_PDEATHSIG, $SIGKILL, 0, 0, 0);
my ($landlock, $seccomp) = (0, 0);
drop_capabilities();
if (prctl($PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    $landlock = landlock();
    $seccomp = seccomp();
}
if ($mode eq 'report') {
    print "$landlock $seccomp\n";
    exit 0;
}
die "confine: the kernel does not confine it (Landlock $landlock, seccomp $seccomp)\n"
    if $mode eq 'required' && !($landlock >= 3 && $seccomp);
# Its three streams and the pipe that it answers on; whatever else the service had open is none of its.
syscall($number{close_range}, 4, 0xFFFFFFFF, 0);
exec { $rest[0] } @rest;
die "confine: $rest[0] cannot be run: $!\n";

# A service that runs as root hands them down, and a program would get them again when it begins.
sub drop_capabilities {
    for my $capability (0 .. 63) { my $number = $capability; prctl($PR_CAPBSET_DROP, $number, 0, 0, 0) }
    my $version = pack 'LL', 0x20080522, 0;
    my $none = pack 'L6', (0) x 6;
    syscall($number{capset}, $version, $none);
}

# Files: nothing is written, made or removed anywhere, and what is not among the paths is not read. From version 4 on no
# TCP either, from 6 on no signal and no abstract socket of another process.
sub landlock {
    my $version = syscall($LANDLOCK_CREATE, 0, 0, 1);
    return 0 if $version < 1;
    # In the order of the kernel's header: all that there is to handle in each version.
    my $files = (1 << ($version < 2 ? 13 : $version < 3 ? 14 : $version < 5 ? 15 : 16)) - 1;
    my $attributes = pack 'Q', $files;
    $attributes .= pack 'Q', 3 if $version >= 4;
    $attributes .= pack 'Q', 3 if $version >= 6;
    my $rules = syscall($LANDLOCK_CREATE, $attributes, length $attributes, 0);
    return 0 if $rules < 0;
    # What a program asks of itself when it begins: where its stack is, and how much memory there is.
    for my $path (@paths, map { "/proc/$$/$_" } qw(maps cgroup stat)) {
        sysopen my $opened, $path, $O_PATH or next;
        my ($execute, $read_file, $read_dir) = (1, 4, 8);
        my $allowed = $execute | $read_file | (-d $path ? $read_dir : 0);
        my $rule = pack 'Ql', $allowed, fileno $opened;
        syscall($LANDLOCK_ADD, $rules, 1, $rule, 0) == 0 or return 0;
    }
    return syscall($LANDLOCK_RESTRICT, $rules, 0) == 0 ? $version : 0;
}

# Calls: those that are listed, about this process alone. Threads may be started, processes may not.
sub seccomp {
    my ($LOAD, $EQUAL, $AT_LEAST, $ANY_BIT, $RETURN) = (0x20, 0x15, 0x35, 0x45, 0x06);
    my ($ALLOW, $KILL, $NOT_PERMITTED, $NO_SUCH_CALL) = (0x7FFF0000, 0x80000000, 0x00050001, 0x00050026);
    my ($CLONE_THREAD, $OTHER_ABI) = (0x00010000, 0x40000000);
    # Since 2019 calls have the same number everywhere: libraries that miss one of them use what there was before.
    my $NEWER_CALLS = 424;
    my @checked = (
        # Name, which argument, what it may be.
        [prctl => 0, 15, 16, 0x53564d41],         # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA
        [prlimit64 => 0, 0, $$],                  # of this process
        [tgkill => 0, $$],
        [ioctl => 1, 0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451], # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FION?CLEX
        [fcntl => 1, 0 .. 4, 1030],               # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
    );
    my %handled = map { $_ => 1 } 'clone', 'capset', map { $_->[0] } @checked;
    my @program = (
        [$LOAD, 0, 0, 4],
        [$EQUAL, 1, 0, $audit],
        [$RETURN, 0, 0, $KILL],
        [$LOAD, 0, 0, 0],
        [$AT_LEAST, 0, 1, $OTHER_ABI],
        [$RETURN, 0, 0, $NOT_PERMITTED],
    );
    # The most frequent first.
    for my $name ('futex', 'read', 'write', sort keys %number) {
        push @program, [$EQUAL, 0, 1, $number{$name}], [$RETURN, 0, 0, $ALLOW] unless $handled{$name}++;
    }
    for (@checked) {
        my ($name, $argument, @values) = @$_;
        push @program, [$EQUAL, 0, @values + 3, $number{$name}], [$LOAD, 0, 0, 16 + 8 * $argument];
        push @program, [$EQUAL, $#values - $_ + 1, 0, $values[$_]] for 0 .. $#values;
        push @program, [$RETURN, 0, 0, $NOT_PERMITTED], [$RETURN, 0, 0, $ALLOW];
    }
    push @program,
        [$EQUAL, 0, 4, $number{clone}], [$LOAD, 0, 0, 16],
        [$ANY_BIT, 0, 1, $CLONE_THREAD], [$RETURN, 0, 0, $ALLOW], [$RETURN, 0, 0, $NOT_PERMITTED],
        # clone3 too: what it is asked for lies in memory, where a filter cannot look.
        [$AT_LEAST, 0, 1, $NEWER_CALLS], [$RETURN, 0, 0, $NO_SUCH_CALL],
        [$RETURN, 0, 0, $NOT_PERMITTED];
    my $instructions = join '', map { pack 'SCCL', @$_ } @program;
    my $filter = pack 'Sx![Q]P', scalar @program, $instructions;
    return prctl($PR_SET_SECCOMP, 2, $filter, 0, 0) == 0 ? 1 : 0;
}
