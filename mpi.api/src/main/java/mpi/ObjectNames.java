package mpi;

/** Names of communicators and types. */
final class ObjectNames {
    private ObjectNames() { }

    /** As much of a name as MPI keeps. */
    static String shorten(final String name) throws MPIException {
        if (name == null) {
            throw ErrorHandling.error(Constants.ERR_ARG, "name is null");
        }
        return name.length() < Constants.MAX_OBJECT_NAME ? name : name.substring(0, Constants.MAX_OBJECT_NAME - 1);
    }
}
