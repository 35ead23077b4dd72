package tutti.runtime.process.snapshot;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
            final Field field = Class.forName(owner, true, ClassLoader.getPlatformClassLoader()).getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (final ClassNotFoundException | NoSuchFieldException e) {
            return null;
        } catch (final InaccessibleObjectException e) {
            throw new IllegalStateException("package is not open: " + packageName(), e);
        }
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

    /** Returns the option of the JVM that opens a package to this bundle; empty when this JDK does not have the package. */
    static Optional<String> option(final String packageName) {
        return ModuleLayer.boot().modules().stream().filter(m -> m.getPackages().contains(packageName)).findFirst()
            .map(m -> "--add-opens=" + m.getName() + "/" + packageName + "=ALL-UNNAMED");
    }

    String packageName() {
        return owner.substring(0, owner.lastIndexOf('.'));
    }

    @Override
    public String toString() {
        return owner + "." + name;
    }
}
