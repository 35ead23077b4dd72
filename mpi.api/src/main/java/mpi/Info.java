package mpi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/** Hints for MPI: keys with values, in the order in which the keys came. Not safe for several threads while it is changed. */
public final class Info implements Freeable, Cloneable {
    static final Info NULL = new Info(null, true);

    private final boolean isFixed;
    private Map<String, String> entries;

    /** Without entries. */
    public Info() throws MPIException {
        this(new LinkedHashMap<>(), false);
    }

    private Info(final Map<String, String> entries, final boolean isFixed) {
        this.entries = entries;
        this.isFixed = isFixed;
    }

    /** Entries that programs cannot change. */
    static Info fixed(final Map<String, String> entries) {
        return new Info(new LinkedHashMap<>(entries), true);
    }

    /** Adds an entry, or replaces the value that the key had. */
    public void set(final String key, final String value) throws MPIException {
        checkKey(key);
        if (value == null || value.isEmpty() || value.length() > Constants.MAX_INFO_VAL) {
            throw ErrorHandling.error(Constants.ERR_INFO_VALUE, "value of info out of range: length=" + (value == null ? null : value.length())
                + ", range=1.." + Constants.MAX_INFO_VAL + ", key=" + key);
        }
        changeable().put(key, value);
    }

    /** The value of a key, or null. */
    public String get(final String key) throws MPIException {
        checkKey(key);
        return live().get(key);
    }

    /** Removes an entry, which must be there. */
    public void delete(final String key) throws MPIException {
        checkKey(key);
        if (changeable().remove(key) == null) {
            throw ErrorHandling.error(Constants.ERR_INFO_NOKEY, "no such key in info: key=" + key);
        }
    }

    /** The number of entries. */
    public int size() throws MPIException {
        return live().size();
    }

    /** The key of entry {@code i}, from 0. */
    public String getKey(final int i) throws MPIException {
        final int size = live().size();
        if (i < 0 || i >= size) {
            throw ErrorHandling.error(Constants.ERR_ARG, "index of info key out of range: index=" + i + ", size=" + size);
        }
        return new ArrayList<>(live().keySet()).get(i);
    }

    /** A copy; as {@link #dup}. */
    @Override
    public Info clone() {
        return entries == null ? NULL : new Info(new LinkedHashMap<>(entries), false);
    }

    /** A copy that has the same entries. */
    public Info dup() throws MPIException {
        return new Info(new LinkedHashMap<>(live()), false);
    }

    /** Lets go of the entries; from then on the object is null. */
    @Override
    public void free() throws MPIException {
        changeable();
        entries = null;
    }

    /** Whether it was freed or is {@code MPI.INFO_NULL}. */
    public boolean isNull() {
        return entries == null;
    }

    private Map<String, String> live() throws MPIException {
        if (entries == null) {
            throw ErrorHandling.error(Constants.ERR_INFO, "info is null");
        }
        return entries;
    }

    private Map<String, String> changeable() throws MPIException {
        final Map<String, String> map = live();
        if (isFixed) {
            throw ErrorHandling.error(Constants.ERR_INFO, "info cannot be changed: info=MPI_INFO_ENV");
        }
        return map;
    }

    private static void checkKey(final String key) throws MPIException {
        if (key == null || key.isEmpty() || key.length() > Constants.MAX_INFO_KEY) {
            throw ErrorHandling.error(Constants.ERR_INFO_KEY, "key of info out of range: length=" + (key == null ? null : key.length())
                + ", range=1.." + Constants.MAX_INFO_KEY);
        }
    }
}
