package mpi;

/** Names of communicators and datatypes. */
final class ObjectNames {
    private ObjectNames() {}

    /** Returns a name, truncated to the length that MPI allows. */
    static String shorten(final String name) throws MPIException {
        if (name == null) {
            // Cause: an object is given no name. Remedy: an empty text is a name.
            throw ErrorHandling.error(MPI.ERR_ARG, "name is null");
        }
        return name.length() < MPI.MAX_OBJECT_NAME ? name : name.substring(0, MPI.MAX_OBJECT_NAME - 1);
    }
}
