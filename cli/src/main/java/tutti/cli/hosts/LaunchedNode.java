package tutti.cli.hosts;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tutti.daemon.node.HostPort;

/** What a node learns from the program that started it on its host. */
public enum LaunchedNode {
    /** Started on the machine that alone uses it: a test, for example. */
    LOCAL {
        @Override
        String address(final Map<String, String> environment) {
            return "127.0.0.1";
        }

        @Override
        int index(final Map<String, String> environment) {
            return 0;
        }
    },
    /** Started by {@link SshLauncher}. */
    SSH {
        /** Returns the address of this host that the ssh command connected to. */
        @Override
        String address(final Map<String, String> environment) throws IOException {
            // client address, client port, server address, server port
            final String[] words = variable(environment, "SSH_CONNECTION").split(" ");
            if (words.length != 4) {
                throw new IOException("not a connection: SSH_CONNECTION=" + environment.get("SSH_CONNECTION"));
            }
            return words[2];
        }

        @Override
        int index(final Map<String, String> environment) {
            return 0;
        }
    },
    /** Started by the command of {@link SlurmAllocation}. */
    SLURM {
        /** Returns the address of this host from which it reaches the one where the srun command runs. */
        @Override
        String address(final Map<String, String> environment) throws IOException {
            try (DatagramSocket socket = new DatagramSocket()) {
                // sends nothing: it only looks up the route
                socket.connect(new InetSocketAddress(InetAddress.getByName(variable(environment, "SLURM_LAUNCH_NODE_IPADDR")), 1));
                return socket.getLocalAddress().getHostAddress();
            }
        }

        @Override
        int index(final Map<String, String> environment) throws IOException {
            return Integer.parseInt(variable(environment, "SLURM_NODEID"));
        }
    };

    abstract String address(Map<String, String> environment) throws IOException;

    abstract int index(Map<String, String> environment) throws IOException;

    /**
     * Returns the address to listen on, at a free port: one that the launching host reaches.
     *
     * @throws IOException when the launcher did not set its variables
     */
    public HostPort listen(final Map<String, String> environment) throws IOException {
        return new HostPort(address(environment), 0);
    }

    /**
     * Returns the number of slots of this node.
     *
     * @param slots those of all nodes that the launcher started with one command
     */
    public int slots(final List<Integer> slots, final Map<String, String> environment) throws IOException {
        return slots.get(index(environment));
    }

    private static String variable(final Map<String, String> environment, final String name) throws IOException {
        final String value = environment.get(name);
        if (value == null) {
            throw new IOException("variable missing in the environment: " + name);
        }
        return value;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
