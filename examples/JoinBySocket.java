import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Two processes that a socket of the program connects get an intercommunicator: {@code ./tutti run -n 2 examples/JoinBySocket.java}.
 *
 * <p>Started as two jobs, also of two clusters, one listens and the other connects:
 *
 * <pre>
 * ./tutti run -n 1 examples/JoinBySocket.java listen 9000
 * ./tutti run -n 1 examples/JoinBySocket.java connect localhost 9000
 * </pre>
 */
public final class JoinBySocket {
    private JoinBySocket() {}

    /** Runs the program: {@code listen PORT}, {@code connect HOST PORT}, or both on two ranks without arguments. */
    public static void main(final String[] args) throws MPIException, IOException {
        MPI.Init(args);
        if (args.length == 0) {
            bothOnTwoRanks();
        } else if (args[0].equals("listen")) {
            try (ServerSocket server = new ServerSocket(Integer.parseInt(args[1])); Socket socket = server.accept()) {
                greet(socket, false);
            }
        } else {
            try (Socket socket = new Socket(args[1], Integer.parseInt(args[2]))) {
                greet(socket, true);
            }
        }
        MPI.Finalize();
    }

    private static void bothOnTwoRanks() throws MPIException, IOException {
        if (MPI.COMM_WORLD.getRank() == 0) {
            try (ServerSocket server = new ServerSocket(0)) {
                final byte[] host = InetAddress.getLocalHost().getHostAddress().getBytes(StandardCharsets.UTF_8);
                MPI.COMM_WORLD.send(host, host.length, MPI.BYTE, 1, 0);
                MPI.COMM_WORLD.send(new int[] {server.getLocalPort()}, 1, MPI.INT, 1, 1);
                try (Socket socket = server.accept()) {
                    greet(socket, false);
                }
            }
        } else if (MPI.COMM_WORLD.getRank() == 1) {
            final byte[] host = new byte[64];
            final int length = MPI.COMM_WORLD.recv(host, host.length, MPI.BYTE, 0, 0).getCount(MPI.BYTE);
            final int[] port = new int[1];
            MPI.COMM_WORLD.recv(port, 1, MPI.INT, 0, 1);
            try (Socket socket = new Socket(new String(host, 0, length, StandardCharsets.UTF_8), port[0])) {
                greet(socket, true);
            }
        }
    }

    /** Joins the process at the other end, and exchanges a number with it. */
    private static void greet(final Socket socket, final boolean connects) throws MPIException {
        final Intercomm other = Intercomm.join(socket);
        final int[] number = {connects ? 2 : 1};
        final int[] received = new int[1];
        other.sendRecv(number, 1, MPI.INT, 0, 0, received, 1, MPI.INT, 0, 0);
        final Intracomm both = other.merge(connects);
        System.out.println("rank " + both.getRank() + " of " + both.getSize() + " received " + received[0]);
        both.disconnect();
        other.disconnect();
    }
}
