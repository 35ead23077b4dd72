package mpi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Hints for MPI: keys with values, in the order in which the keys were added. Not safe for use by several threads while it is changed. */
public final class Info implements Freeable, Cloneable {
    static final Info NULL = new Info(null, true);

    private final boolean isFixed;
    /** Entries by key; null when the info is null. */
    private @Nullable Map<String, String> entries;

    /** Creates an info without entries. */
    public Info() throws MPIException {
        this(new LinkedHashMap<>(), false);
    }

    private Info(final @Nullable Map<String, String> entries, final boolean isFixed) {
        this.entries = entries;
        this.isFixed = isFixed;
    }

    /** Creates an info that programs cannot change. */
    static Info fixed(final Map<String, String> entries) {
        return new Info(new LinkedHashMap<>(entries), true);
    }

    /** Adds an entry to an info that programs cannot change. */
    void putFixed(final String key, final String value) {
        if (entries != null) {
            entries.put(key, value);
        }
    }

    /** Adds an entry, or replaces the value of an existing key. */
    public void set(final String key, final String value) throws MPIException {
        checkKey(key);
        if (value == null || value.isEmpty() || value.length() > MPI.MAX_INFO_VAL) {
            // Cause: a value is empty, null or too long. Remedy: another value.
            throw ErrorHandling.error(MPI.ERR_INFO_VALUE, "value of info out of range: length=" + (value == null ? null : value.length())
                + ", range=1.." + MPI.MAX_INFO_VAL + ", key=" + key);
        }
        mutableEntries().put(key, value);
    }

    /** Returns the value of a key; null if there is no such key. */
    public @Nullable String get(final String key) throws MPIException {
        checkKey(key);
        return checkedEntries().get(key);
    }

    /** Deletes an entry, which must exist. */
    public void delete(final String key) throws MPIException {
        checkKey(key);
        if (mutableEntries().remove(key) == null) {
            // Remedy: ask with `get` first.
            throw ErrorHandling.error(MPI.ERR_INFO_NOKEY, "no such key in info: key=" + key);
        }
    }

    /** Returns the number of entries. */
    public int size() throws MPIException {
        return checkedEntries().size();
    }

    /** Returns the key of entry {@code i}, from 0. */
    public String getKey(final int i) throws MPIException {
        final int size = checkedEntries().size();
        if (i < 0 || i >= size) {
            // Cause: there are fewer keys. Remedy: 0 to size - 1.
            throw ErrorHandling.error(MPI.ERR_ARG, "index of info key out of range: index=" + i + ", size=" + size);
        }
        return new ArrayList<>(checkedEntries().keySet()).get(i);
    }

    /** Returns a copy; a copy of {@code MPI.INFO_NULL} is null. */
    @Override
    public Info clone() {
        return entries == null ? NULL : new Info(new LinkedHashMap<>(entries), false);
    }

    /** Returns a copy with the same entries. */
    public Info dup() throws MPIException {
        return new Info(new LinkedHashMap<>(checkedEntries()), false);
    }

    /** Frees the info and makes it null. */
    @Override
    public void free() throws MPIException {
        mutableEntries();
        entries = null;
    }

    /** Returns whether the info was freed or is {@code MPI.INFO_NULL}. */
    public boolean isNull() {
        return entries == null;
    }

    /** Returns a copy of the entries; without any of a null info. */
    Map<String, String> toMap() {
        return entries == null ? Map.of() : new LinkedHashMap<>(entries);
    }

    private Map<String, String> checkedEntries() throws MPIException {
        if (entries == null) {
            throw ErrorHandling.error(MPI.ERR_INFO, "info is null");
        }
        return entries;
    }

    private Map<String, String> mutableEntries() throws MPIException {
        final Map<String, String> map = checkedEntries();
        if (isFixed) {
            // Cause: it describes the job. Remedy: a copy (`clone`) can.
            throw ErrorHandling.error(MPI.ERR_INFO, "info cannot be changed: info=MPI_INFO_ENV");
        }
        return map;
    }

    private static void checkKey(final String key) throws MPIException {
        if (key == null || key.isEmpty() || key.length() > MPI.MAX_INFO_KEY) {
            // Cause: a key is empty, null or too long. Remedy: another key.
            throw ErrorHandling.error(MPI.ERR_INFO_KEY, "key of info out of range: length=" + (key == null ? null : key.length())
                + ", range=1.." + MPI.MAX_INFO_KEY);
        }
    }
}
