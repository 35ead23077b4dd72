package mpi;

/** Names of communicators and types. */
final class Names {
    private Names() { }

    /** As much of a name as MPI keeps. */
    static String shorten(final String name) throws MPIException {
        if (name == null) {
            throw Errors.error(Constant.ERR_ARG, "name is null");
        }
        return name.length() < Constant.MAX_OBJECT_NAME ? name : name.substring(0, Constant.MAX_OBJECT_NAME - 1);
    }
}
