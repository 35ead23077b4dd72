package mpi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import mpi.Keyvals.Keyval;

/**
 * The attributes of one object: values by keys. Functions of keys are called without a lock. Safe for any thread, but that functions of two
 * threads' calls may run at once.
 *
 * @param <T> the kind of object
 */
final class Attributes<T> {
    private final T owner;
    /** In the order of setting. */
    private final Map<Keyval, Object> values = new LinkedHashMap<>();

    Attributes(final T owner) {
        this.owner = owner;
    }

    /** Sets a value; one that was there is deleted first. */
    void set(final Keyval keyval, final Object value) throws MPIException {
        delete(keyval);
        synchronized (values) {
            values.put(keyval, value);
        }
    }

    /** The value of a key, or null. */
    Object get(final Keyval keyval) {
        synchronized (values) {
            return values.get(keyval);
        }
    }

    /** Takes the value of a key away, if there is one. */
    void delete(final Keyval keyval) throws MPIException {
        final Object value;
        synchronized (values) {
            if (!values.containsKey(keyval)) {
                return;
            }
            value = values.get(keyval);
        }
        deleting(keyval, value);
        synchronized (values) {
            values.remove(keyval);
        }
    }

    /** Takes all values away, the last one first. */
    void clear() throws MPIException {
        final List<Keyval> keyvals = keyvals();
        for (final Keyval keyval : keyvals.reversed()) {
            delete(keyval);
        }
    }

    /** Gives a duplicate of the object what its keys say, in the order of setting. */
    void copyTo(final Attributes<? extends T> duplicate) throws MPIException {
        for (final Keyval keyval : keyvals()) {
            final Object value = get(keyval);
            final Object copy = keyval.copy() == null ? value : copying(keyval, value);
            if (keyval.copy() == null || copy != null) {
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
    private Object copying(final Keyval keyval, final Object value) throws MPIException {
        return ((AttributeCopy<? super T>) keyval.copy()).copy(owner, keyval.number(), value);
    }

    @SuppressWarnings("unchecked")
    private void deleting(final Keyval keyval, final Object value) throws MPIException {
        if (keyval.delete() != null) {
            ((AttributeDelete<? super T>) keyval.delete()).delete(owner, keyval.number(), value);
        }
    }
}
