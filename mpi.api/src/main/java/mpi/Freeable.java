package mpi;

/** An MPI object that programs free when they no longer need it. */
public interface Freeable {

    /** Frees the object. */
    void free() throws MPIException;
}
