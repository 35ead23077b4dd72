package tutti.cli.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.node.HostPort;

class SshLauncherTest {
    @TempDir
    private Path dir;

    @Test
    void shouldPutTheOptionsOfTheUserBeforeItsOwnAndTheHostBehindBoth() {
        final SshLauncher launcher = new SshLauncher(List.of("ssh", "-p", "2222"), Path.of("/opt/tutti"), Path.of("/work"), false, "7100-7109",
            Map.of());
        final List<LaunchCommand> commands = launcher.commands(HostList.parse("me@a:2,[::1]"));
        assertEquals(List.of(List.of("a"), List.of("1")), commands.stream().map(LaunchCommand::nodes).toList());
        assertEquals(List.of("ssh", "-p", "2222", "-T", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=30", "-o", "ServerAliveInterval=15", "--",
            "me@a", "exec /bin/sh -c 'cd '\\''/work'\\'' 2>/dev/null || cd; exec '\\''/opt/tutti/bin/tutti'\\'' daemon --name a "
                + "--launched-by ssh --slots 2 --ports 7100-7109'"),
            commands.getFirst().line());
        assertEquals("::1", commands.get(1).line().get(12));
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void shouldPassFoldersAndVariablesThroughTheShellOfTheHost() throws IOException {
        final Path home = Files.createDirectories(dir.resolve("it's $HOME"));
        final Path script = Files.createDirectories(home.resolve("bin")).resolve("tutti");
        Files.writeString(script, "#!/bin/sh\npwd -P\necho \"$OPTIONS\"\necho \"$@\"\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        final LaunchCommand command = new SshLauncher(List.of("ssh"), home, home, true, null, Map.of("OPTIONS", "-Da='b c' \"d\" `e`"))
            .commands(HostList.parse("a:3")).getFirst();
        // what the server does with the last word
        final Process shell = new ProcessBuilder("/bin/sh", "-c", command.line().getLast()).redirectErrorStream(true).start();
        assertEquals(List.of(home.toRealPath().toString(), "-Da='b c' \"d\" `e`", "daemon --name a --launched-by ssh --slots 3"),
            new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList());
    }

    @Test
    void shouldListenWhereTheLaunchingHostReachesTheNode() throws IOException {
        assertEquals(new HostPort("10.0.0.7", 0), LaunchedNode.SSH.listen(Map.of("SSH_CONNECTION", "10.0.0.1 50000 10.0.0.7 22")));
        assertEquals(new HostPort("127.0.0.1", 0), LaunchedNode.SLURM.listen(Map.of("SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1")));
        assertEquals(3, LaunchedNode.SLURM.slots(List.of(2, 2, 3), Map.of("SLURM_NODEID", "2")));
    }
}
