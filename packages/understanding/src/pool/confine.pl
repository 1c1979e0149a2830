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

# prctl, seccomp's numbers, and the calls that no parser needs.
my %NUMBERS = (
    x64 => {
        audit => 0xC000003E, prctl => 157, clone => 56, capset => 126, prlimit => 302, tgkill => 234,
        denied => [
            41, 42, 43, 49, 50, 53, 288,    # socket, connect, accept, bind, listen, socketpair, accept4
            57, 58,                         # fork, vfork
            62, 129, 297, 424, 434,         # kill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal, pidfd_open
            101, 310, 311, 438,             # ptrace, process_vm_readv, process_vm_writev, pidfd_getfd
            76, 165, 166, 155, 161, 272, 308, # truncate, mount, umount2, pivot_root, chroot, unshare, setns
            248, 249, 250, 298, 303, 304, 321, 323, # add_key, request_key, keyctl, perf_event_open, *_handle_at, bpf, userfaultfd
            175, 176, 246, 313, 320, 425, 426, 427, 428, 429, 430, 431, 432, 433, # modules, kexec, io_uring, mounting anew
            46, 307, 200,                   # sendmsg, sendmmsg: descriptors may go with them; tkill
            141, 142, 144, 203, 314, 251,   # setpriority, sched_set*, ioprio_set
            90, 91, 268, 452, 92, 93, 94, 260, # chmod and chown, of paths and of descriptors
            132, 235, 261, 280, 188, 189, 190, 197, 198, 199, 463, 466, # utime*, setxattr*, removexattr*
            29, 30, 31, 67, 64, 65, 66, 220, 68, 69, 70, 71, # System V shared memory, semaphores, messages
            240, 241, 242, 243, 244,        # mq_*
            253, 254, 255, 294, 300, 301,   # inotify, fanotify
            135, 312, 440, 447, 103, 163,   # personality, kcmp, process_madvise, memfd_secret, syslog, acct
            153, 164, 159, 167, 168, 169, 170, 171, 172, 173, 179, 180, 227, 305, # what only an administrator does
        ],
    },
    arm64 => {
        audit => 0xC00000B7, prctl => 167, clone => 220, capset => 91, prlimit => 261, tgkill => 131,
        denied => [
            198, 199, 200, 201, 202, 203, 242,
            129, 138, 240, 424, 434,
            117, 270, 271, 438,
            45, 39, 40, 41, 51, 97, 268,
            217, 218, 219, 241, 264, 265, 280, 282,
            104, 105, 106, 273, 294, 425, 426, 427, 428, 429, 430, 431, 432, 433,
            211, 269, 130,
            140, 118, 119, 122, 274, 30,
            52, 53, 452, 54, 55,
            88, 5, 6, 7, 14, 15, 16, 463, 466,
            194, 195, 196, 197, 190, 191, 192, 193, 186, 187, 188, 189,
            180, 181, 182, 183, 184,
            26, 27, 28, 262, 263,
            92, 272, 440, 447, 116, 89,
            58, 170, 171, 224, 225, 142, 161, 162, 60, 42, 112, 266,
        ],
    },
);
my $numbers = $NUMBERS{$arch} or die "confine: no numbers of system calls for $arch\n";

# The same everywhere.
my ($LANDLOCK_CREATE, $LANDLOCK_ADD, $LANDLOCK_RESTRICT, $CLONE3, $CLOSE_RANGE) = (444, 445, 446, 435, 436);
my ($PR_SET_PDEATHSIG, $PR_SET_NO_NEW_PRIVS, $PR_SET_SECCOMP, $PR_CAPBSET_DROP) = (1, 38, 22, 24);
my ($O_PATH, $SIGKILL) = (010000000, 9);

sub prctl { return syscall($numbers->{prctl}, @_) }

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
syscall($CLOSE_RANGE, 4, 0xFFFFFFFF, 0);
exec { $rest[0] } @rest;
die "confine: $rest[0] cannot be run: $!\n";

# A service that runs as root hands them down, and a program would get them again when it begins.
sub drop_capabilities {
    for my $capability (0 .. 63) { my $number = $capability; prctl($PR_CAPBSET_DROP, $number, 0, 0, 0) }
    my $version = pack 'LL', 0x20080522, 0;
    my $none = pack 'L6', (0) x 6;
    syscall($numbers->{capset}, $version, $none);
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

# Calls: threads may be started, processes may not.
sub seccomp {
    my ($LOAD, $EQUAL, $AT_LEAST, $ANY_BIT, $RETURN) = (0x20, 0x15, 0x35, 0x45, 0x06);
    my ($ALLOW, $KILL, $NOT_PERMITTED, $NO_SUCH_CALL) = (0x7FFF0000, 0x80000000, 0x00050001, 0x00050026);
    my ($CLONE_THREAD, $OTHER_ABI) = (0x00010000, 0x40000000);
    my @program = (
        [$LOAD, 0, 0, 4],
        [$EQUAL, 1, 0, $numbers->{audit}],
        [$RETURN, 0, 0, $KILL],
        [$LOAD, 0, 0, 0],
        [$AT_LEAST, 0, 1, $OTHER_ABI],
        [$RETURN, 0, 0, $NOT_PERMITTED],
    );
    push @program, [$EQUAL, 0, 1, $_], [$RETURN, 0, 0, $NOT_PERMITTED] for @{ $numbers->{denied} };
    # Of no process but this one: its first argument.
    push @program, [$EQUAL, 0, 5, $_], [$LOAD, 0, 0, 16], [$EQUAL, 2, 0, $$], [$EQUAL, 1, 0, 0],
        [$RETURN, 0, 0, $NOT_PERMITTED], [$RETURN, 0, 0, $ALLOW]
        for $numbers->{prlimit}, $numbers->{tgkill};
    push @program,
        # What it is asked for lies in memory, where a filter cannot look: libraries use clone then.
        [$EQUAL, 0, 1, $CLONE3], [$RETURN, 0, 0, $NO_SUCH_CALL],
        [$EQUAL, 0, 3, $numbers->{clone}], [$LOAD, 0, 0, 16],
        [$ANY_BIT, 1, 0, $CLONE_THREAD], [$RETURN, 0, 0, $NOT_PERMITTED],
        [$RETURN, 0, 0, $ALLOW];
    my $instructions = join '', map { pack 'SCCL', @$_ } @program;
    my $filter = pack 'Sx![Q]P', scalar @program, $instructions;
    return prctl($PR_SET_SECCOMP, 2, $filter, 0, 0) == 0 ? 1 : 0;
}
