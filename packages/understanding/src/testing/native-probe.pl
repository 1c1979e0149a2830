# What the kernel lets a child do, asked without Node: native code in a parser would ask like this.
#   native-probe.pl SECRET GIVEN PID     JSON of what was tried: "done", or why not
use strict;
use warnings;

my ($secret, $given, $other) = @ARGV;
my $made = $secret =~ s{[^/]*$}{made}r;
my ($folder) = $secret =~ m{(.*)/};
my @tried;

sub attempt {
    my ($what, $done) = @_;
    my $outcome = $done ? 'done' : "$!";
    push @tried, "\"$what\":\"$outcome\"";
}

attempt 'given', open my $opened, '<', $given;
attempt 'read a file', open $opened, '<', $secret;
attempt 'list a folder', opendir my $listed, $folder;
attempt 'read another process', open $opened, '<', "/proc/$other/environ";
attempt 'write over a file', open $opened, '+<', $secret;
attempt 'truncate a file', truncate $secret, 0;
attempt 'make a file', open $opened, '>', $made;
attempt 'remove a file', unlink $secret;
attempt 'open a socket', socket my $socket, 2, 1, 0;
attempt 'open a local socket', socket $socket, 1, 1, 0;
attempt 'signal another process', kill 0, $other;
attempt 'change its priority', setpriority 0, 0, 5;
attempt 'change the mode of a file', chmod 0777, $secret;
attempt 'change the times of a file', utime 1, 1, $secret;
attempt 'share memory', shmget 0, 4096, 01600;
my ($set_owner, $type_for_it) = (8, 0x5412);
attempt 'have another process signalled', fcntl STDIN, $set_owner, $other + 0;
attempt 'type into its terminal', ioctl STDIN, $type_for_it, my $letter = 'x';
attempt 'make a folder', mkdir $made;
attempt 'read the network of the machine', open $opened, '<', '/proc/self/net/dev';
my $child = fork;
exit 0 if defined $child && $child == 0;
attempt 'start a process', defined $child;
{
    no warnings 'exec';
    attempt 'run another program', exec { '/bin/true' } '/bin/true';
}
print '{', join(',', @tried), "}\n";
