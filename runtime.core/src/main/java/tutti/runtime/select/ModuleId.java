package tutti.runtime.select;

import org.osgi.framework.Version;

/**
 * What makes a module the same one on two nodes.
 *
 * @param name    its name, {@code ring} for one
 * @param version its version
 * @param digest  SHA-256 of its bundle in hex; empty when the bundle's file cannot be read any more
 */
public record ModuleId(String name, Version version, String digest) implements Comparable<ModuleId> {

    @Override
    public int compareTo(final ModuleId other) {
        final int byName = name.compareTo(other.name);
        final int byVersion = byName != 0 ? byName : version.compareTo(other.version);
        return byVersion != 0 ? byVersion : digest.compareTo(other.digest);
    }

    /** Name and version. */
    @Override
    public String toString() {
        return name + " " + version;
    }
}
