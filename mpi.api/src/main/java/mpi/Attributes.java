package mpi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import mpi.Keyvals.Keyval;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of one object: values by keys. Callbacks of keys are called without a lock. Safe for use by any thread; callbacks of calls from
 * two threads may run at the same time.
 *
 * @param <T> the type of the object
 */
final class Attributes<T> {
    private final T owner;
    /** Values in the order in which they were set. */
    private final Map<Keyval, @Nullable Object> values = new LinkedHashMap<>();

    Attributes(final T owner) {
        this.owner = owner;
    }

    /** Sets a value; an existing value of the key is deleted first. */
    void set(final Keyval keyval, final @Nullable Object value) throws MPIException {
        delete(keyval);
        synchronized (values) {
            if (!values.containsKey(keyval)) {
                keyval.added();
            }
            values.put(keyval, value);
        }
    }

    /** Returns the value of a key, or null. */
    @Nullable
    Object get(final Keyval keyval) {
        synchronized (values) {
            return values.get(keyval);
        }
    }

    /** Deletes the value of a key, if there is one. */
    void delete(final Keyval keyval) throws MPIException {
        final Object value;
        synchronized (values) {
            if (!values.containsKey(keyval)) {
                return;
            }
            value = values.get(keyval);
        }
        callDelete(keyval, value);
        synchronized (values) {
            if (values.containsKey(keyval)) {
                values.remove(keyval);
                keyval.removed();
            }
        }
    }

    /** Deletes all values, the last one first. */
    void clear() throws MPIException {
        final List<Keyval> keyvals = keyvals();
        for (final Keyval keyval : keyvals.reversed()) {
            delete(keyval);
        }
    }

    /** Copies the attributes to a duplicate of the object as their keys define, in the order of setting. */
    void copyTo(final Attributes<? extends T> duplicate) throws MPIException {
        for (final Keyval keyval : keyvals()) {
            final AttributeCopy<?> function = keyval.copy();
            final Object copy = function == null ? null : callCopy(function, keyval, get(keyval));
            if (copy != null) {
                duplicate.set(keyval, copy);
            }
        }
    }

    private List<Keyval> keyvals() {
        synchronized (values) {
            return new ArrayList<>(values.keySet());
        }
    }

    @SuppressWarnings("unchecked")
    private @Nullable Object callCopy(final AttributeCopy<?> function, final Keyval keyval, final @Nullable Object value) throws MPIException {
        return ((AttributeCopy<? super T>) function).copy(owner, keyval.number(), value);
    }

    @SuppressWarnings("unchecked")
    private void callDelete(final Keyval keyval, final @Nullable Object value) throws MPIException {
        final AttributeDelete<?> function = keyval.delete();
        if (function != null) {
            ((AttributeDelete<? super T>) function).delete(owner, keyval.number(), value);
        }
    }
}
