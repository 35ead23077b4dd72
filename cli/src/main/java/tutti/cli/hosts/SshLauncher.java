package tutti.cli.hosts;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Starts a container on each of some hosts by the system's OpenSSH: with its configuration, keys, agent and known hosts. It must not ask: a host that
 * wants a password is an error.
 *
 * <p>The container's standard input is that of the ssh command. When the command ends, however that happens, the server closes the container's
 * input, by which the container ends. A container whose connection is cut without an end hears nothing any more, and ends as well.
 *
 * @param ssh         the ssh command with options that precede the host
 * @param home        folder of the distribution on the hosts
 * @param folder      working folder of the containers
 * @param mustExist   whether a host must have the folder; otherwise the home folder of the user replaces it
 * @param ports       ports of which each container takes a free one; null for any
 * @param environment variables that the containers get
 */
public record SshLauncher(List<String> ssh, Path home, Path folder, boolean mustExist, @Nullable String ports,
    Map<String, String> environment) {

    /** Returns the command lines, one per host. */
    public List<LaunchCommand> commands(final List<HostSlots> hosts) {
        return hosts.stream().map(this::command).toList();
    }

    private LaunchCommand command(final HostSlots host) {
        final List<String> line = new ArrayList<>(ssh);
        // the first value of an option counts, so those of the user take precedence; a lost host is noticed after 45 s
        line.addAll(List.of("-T", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=30", "-o", "ServerAliveInterval=15", "--", host.sshName(),
            "exec /bin/sh -c " + quote(script(host))));
        return new LaunchCommand(List.of(host.nodeName()), line, true);
    }

    private String script(final HostSlots host) {
        final StringBuilder script = new StringBuilder("cd ").append(quote(folder.toString()))
            .append(mustExist ? " || exit; " : " 2>/dev/null || cd; ");
        environment.forEach((name, value) -> script.append("export ").append(name).append('=').append(quote(value)).append("; "));
        script.append("exec ").append(quote(home.resolve("bin").resolve("tutti").toString())).append(" daemon --name ").append(host.nodeName())
            .append(" --launched-by ssh");
        if (host.slots() > 0) {
            script.append(" --slots ").append(host.slots());
        }
        if (ports != null) {
            script.append(" --ports ").append(ports);
        }
        return script.toString();
    }

    /** Returns a word for a shell. */
    private static String quote(final String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
