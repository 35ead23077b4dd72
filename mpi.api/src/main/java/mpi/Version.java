package mpi;

/** A version of the MPI standard. Immutable. */
public final class Version {
    private final int version;
    private final int subVersion;

    Version(final int version, final int subVersion) {
        this.version = version;
        this.subVersion = subVersion;
    }

    /** Returns the number before the dot. */
    public int getVersion() {
        return version;
    }

    /** Returns the number after the dot. */
    public int getSubVersion() {
        return subVersion;
    }

    @Override
    public String toString() {
        return version + "." + subVersion;
    }
}
