package programs;

import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Every collective operation between the groups of two jobs: {@code spawn RANKS}, {@code accept NAME} with a published name, or
 * {@code connect NAME}.
 */
public final class MeetingGroups {
    private MeetingGroups() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException, InterruptedException {
        MPI.Init(args);
        final Intercomm parent = Intercomm.getParent();
        final Intercomm inter = parent.isNull() ? meet(args[0], args[1]) : parent;
        inter.setErrhandler(MPI.ERRORS_RETURN);
        IntercommCollectives.check(inter, parent.isNull() && !args[0].equals("connect"));
        if (inter.getRank() == 0) {
            System.out.println(inter.getSize() + " with " + inter.getRemoteSize());
        }
        inter.disconnect();
        MPI.Finalize();
    }

    private static Intercomm meet(final String how, final String argument) throws MPIException, InterruptedException {
        final Intracomm world = MPI.COMM_WORLD;
        final boolean isFirst = world.getRank() == 0;
        return switch (how) {
            case "spawn" -> world.spawn(MeetingGroups.class.getName(), new String[0], Integer.parseInt(argument), MPI.INFO_NULL, 0, null);
            case "accept" -> {
                final String port = isFirst ? Intracomm.openPort() : null;
                if (isFirst) {
                    Intracomm.publishName(argument, port);
                }
                yield world.accept(port, 0);
            }
            case "connect" -> world.connect(isFirst ? published(argument) : null, 0);
            default -> throw new IllegalArgumentException("spawn, accept or connect: " + how);
        };
    }

    private static String published(final String name) throws MPIException, InterruptedException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        while (true) {
            try {
                return Intracomm.lookupName(name);
            } catch (MPIException e) {
                if (e.getErrorClass() != MPI.ERR_NAME) {
                    throw e;
                }
                Thread.sleep(10);
            }
        }
    }
}
