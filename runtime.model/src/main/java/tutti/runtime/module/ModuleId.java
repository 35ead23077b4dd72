package tutti.runtime.module;

import org.osgi.framework.Version;

/**
 * The identity of a module: a module is the same on two nodes when its name, version and digest are equal.
 *
 * @param name    name of the module, for example {@code ring}
 * @param version version of the module
 * @param digest  SHA-256 of its bundle in hex; empty when the bundle's file can no longer be read
 */
public record ModuleId(String name, Version version, String digest) implements Comparable<ModuleId> {

    @Override
    public int compareTo(final ModuleId other) {
        final int byName = name.compareTo(other.name);
        final int byVersion = byName != 0 ? byName : version.compareTo(other.version);
        return byVersion != 0 ? byVersion : digest.compareTo(other.digest);
    }

    /** Returns name and version. */
    @Override
    public String toString() {
        return name + " " + version;
    }
}
