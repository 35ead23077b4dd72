package tutti.runtime.process.snapshot;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.jdk.JdkAccess;

/**
 * A private field of a class of the JDK.
 *
 * @param owner the name of the class
 * @param name  the name of the field
 */
record JdkField(String owner, String name) {
    /**
     * Returns the field, made accessible, and initialises its class. Returns null when this JDK does not have it.
     *
     * @throws IllegalStateException when the package is not open
     */
    @Nullable
    Field open() {
        try {
            final Class<?> type = Class.forName(owner, true, ClassLoader.getPlatformClassLoader());
            JdkAccess.open(type.getModule(), type.getPackageName(), JdkField.class.getModule());
            final Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (final ClassNotFoundException | NoSuchFieldException e) {
            return null;
        } catch (final InaccessibleObjectException | ReflectiveOperationException e) {
            throw new IllegalStateException("field cannot be read: " + this, e);
        }
    }

    /** Returns the value of the field, null for a static field's object; null as well when this JDK does not have it. */
    @Nullable
    Object get(final @Nullable Object object) {
        final Field field = open();
        return field == null ? null : read(field, object);
    }

    /** Initialises a class, unless this JDK does not have it. */
    static void initialise(final String name) {
        try {
            Class.forName(name, true, ClassLoader.getPlatformClassLoader());
        } catch (final ClassNotFoundException e) {
            // another JDK, which has nothing to initialise there
            return;
        }
    }

    /** Returns the value of a field that was opened; the object is null for a static field. */
    static @Nullable Object read(final Field field, final @Nullable Object object) {
        try {
            return field.get(object);
        } catch (final IllegalAccessException e) {
            throw new IllegalStateException("field was opened: " + field, e);
        }
    }

    @Override
    public String toString() {
        return owner + "." + name;
    }
}
