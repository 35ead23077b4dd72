package mpi;

/** Something that a program lets go of when it needs it no more. */
public interface Freeable {

    /** Lets go of it. */
    void free() throws MPIException;
}
