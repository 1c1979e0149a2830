# Holds a listening socket on a port of 127.0.0.1 as systemd does, and starts the command with it, again whenever it ends;
# SIGTERM ends both. Prints the port, then each process id.
use strict;
use warnings;
use IO::Socket::INET;
use POSIX qw(dup2);

$| = 1;
my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 511) or die $!;
print $socket->sockport, "\n";
my ($child, $ending) = (0, 0);
$SIG{TERM} = sub { $ending = 1; kill 'TERM', $child };
until ($ending) {
  $child = fork;
  if ($child == 0) {
    dup2(fileno($socket), 3) if fileno($socket) != 3;
    # What Perl opens is closed by exec from the third on, unless told otherwise.
    $^F = 3;
    open(my $kept, '+<&=', 3) or die $!;
    fcntl($kept, 2, 0) or die $!;
    @ENV{qw(LISTEN_PID LISTEN_FDS LISTEN_FDNAMES)} = ($$, 1, 'http');
    exec @ARGV or die $!;
  }
  print "$child\n";
  waitpid $child, 0;
}
