import mpi.Info;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * A server that other jobs find by a published name, and its clients.
 *
 * <p>Start a server for two clients, and the clients, as jobs of one cluster:
 *
 * <pre>
 * ./tutti run --connect HOST:PORT -n 2 examples/ServerAndClients.java server adder 2
 * ./tutti run --connect HOST:PORT -n 3 examples/ServerAndClients.java client adder
 * ./tutti run --connect HOST:PORT -n 1 examples/ServerAndClients.java client adder
 * </pre>
 *
 * <p>Without arguments, {@code ./tutti run -n 5 examples/ServerAndClients.java}, the first two ranks of one job are the server of the others. The
 * clients of a group pass a number each, and get the sum of all numbers from the server.
 */
public final class ServerAndClients {
    private static final int WAIT_SECONDS = 60;

    private ServerAndClients() {}

    /** Runs the program: {@code server NAME CLIENTS}, {@code client NAME}, or both without arguments. */
    public static void main(final String[] args) throws MPIException, InterruptedException {
        MPI.Init(args);
        final Intracomm world = MPI.COMM_WORLD;
        if (args.length == 0) {
            final boolean serves = world.getRank() < 2;
            final Intracomm group = world.split(serves ? 0 : 1, world.getRank());
            if (serves) {
                serve(group, "adder of one job", 1);
            } else {
                request(group, "adder of one job");
            }
        } else if (args[0].equals("server")) {
            serve(world, args[1], Integer.parseInt(args[2]));
        } else {
            request(world, args[1]);
        }
        MPI.Finalize();
    }

    private static void serve(final Intracomm group, final String name, final int clients) throws MPIException {
        final boolean isRoot = group.getRank() == 0;
        final String port = isRoot ? Intracomm.openPort() : null;
        if (isRoot) {
            Intracomm.publishName(name, port);
        }
        for (int i = 0; i < clients; i++) {
            final Intercomm both = group.accept(port, 0);
            final long[] sum = new long[1];
            both.reduce(null, sum, 1, MPI.LONG, MPI.SUM, isRoot ? MPI.ROOT : MPI.PROC_NULL);
            both.bcast(sum, 1, MPI.LONG, isRoot ? MPI.ROOT : MPI.PROC_NULL);
            if (isRoot) {
                System.out.println("served " + both.getRemoteSize() + " clients");
            }
            both.disconnect();
        }
        if (isRoot) {
            Intracomm.unpublishName(name, port);
            Intracomm.closePort(port);
        }
    }

    private static void request(final Intracomm group, final String name) throws MPIException, InterruptedException {
        final Info info = new Info();
        info.set("timeout", String.valueOf(WAIT_SECONDS));
        final Intercomm both = group.connect(group.getRank() == 0 ? lookup(name) : null, info, 0);
        final long[] number = {group.getRank() + 1};
        both.reduce(number, null, 1, MPI.LONG, MPI.SUM, 0);
        both.bcast(number, 1, MPI.LONG, 0);
        System.out.println("client " + group.getRank() + " has the sum " + number[0]);
        both.disconnect();
    }

    /** Waits until a server has published the name. */
    private static String lookup(final String name) throws MPIException, InterruptedException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        for (int i = 0; i < WAIT_SECONDS * 10; i++) {
            try {
                return Intracomm.lookupName(name);
            } catch (final MPIException e) {
                Thread.sleep(100);
            }
        }
        throw new IllegalStateException("no server published its name: " + name);
    }
}
