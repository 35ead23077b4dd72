package tutti.bench;

import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/** A call on {@code MPI.COMM_WORLD} that a program repeats and measures. Every run uses the same buffers. */
interface MeasuredCall {
    void run() throws MPIException;

    /**
     * Returns the call of an operation, which all ranks run. In a {@code pingpong} ranks 0 and 1 exchange a message, there and back.
     *
     * @param operation name of the operation
     * @param elements  number of doubles in a message, in the data of a rooted operation or an allreduce, and in a block of an allgather or alltoall
     * @throws IllegalArgumentException if there is no such operation
     */
    static MeasuredCall of(final String operation, final int elements) throws MPIException {
        final Intracomm world = MPI.COMM_WORLD;
        final int rank = world.getRank();
        final double[] in = new double[elements * world.getSize()];
        final double[] out = new double[elements * world.getSize()];
        return switch (operation) {
            case "barrier" -> world::barrier;
            case "bcast" -> () -> world.bcast(in, elements, MPI.DOUBLE, 0);
            case "reduce" -> () -> world.reduce(in, out, elements, MPI.DOUBLE, MPI.SUM, 0);
            case "allreduce" -> () -> world.allReduce(in, out, elements, MPI.DOUBLE, MPI.SUM);
            case "allgather" -> () -> world.allGather(in, elements, MPI.DOUBLE, out, elements, MPI.DOUBLE);
            case "alltoall" -> () -> world.allToAll(in, elements, MPI.DOUBLE, out, elements, MPI.DOUBLE);
            case "pingpong" -> switch (rank) {
                case 0 -> () -> {
                    world.send(in, elements, MPI.DOUBLE, 1, 0);
                    world.recv(out, elements, MPI.DOUBLE, 1, 0);
                };
                case 1 -> () -> {
                    world.recv(out, elements, MPI.DOUBLE, 0, 0);
                    world.send(in, elements, MPI.DOUBLE, 0, 0);
                };
                default -> () -> {};
            };
            default -> throw new IllegalArgumentException("no such operation: " + operation);
        };
    }
}
