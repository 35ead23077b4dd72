package tutti.junit.rank;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Objects as bytes, between JUnit's JVM and ranks: Java serialization, which takes paths, too. */
public final class Transfer {
    /** Stands for a path, which cannot be serialized. */
    private record PathText(String text) implements Serializable {}

    private Transfer() {}

    /**
     * Returns the bytes of an object.
     *
     * @throws IOException when something that it refers to is not serializable
     */
    public static byte[] write(final @Nullable Object object) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new Writer(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }

    /** Returns the object that the bytes are of, whose classes the loader has. */
    public static @Nullable Object read(final byte[] bytes, final ClassLoader loader) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new Reader(bytes, loader)) {
            return in.readObject();
        }
    }

    /** Replaces paths. */
    private static final class Writer extends ObjectOutputStream {
        Writer(final OutputStream out) throws IOException {
            super(out);
            enableReplaceObject(true);
        }

        @Override
        protected @Nullable Object replaceObject(final @Nullable Object object) {
            return object instanceof Path path ? new PathText(path.toAbsolutePath().toString()) : object;
        }
    }

    /** Restores paths, and takes classes from a loader. */
    private static final class Reader extends ObjectInputStream {
        private final ClassLoader loader;

        Reader(final byte[] bytes, final ClassLoader loader) throws IOException {
            super(new ByteArrayInputStream(bytes));
            this.loader = loader;
            enableResolveObject(true);
        }

        @Override
        protected Class<?> resolveClass(final ObjectStreamClass described) throws IOException, ClassNotFoundException {
            try {
                return Class.forName(described.getName(), false, loader);
            } catch (final ClassNotFoundException e) {
                // a primitive type
                return super.resolveClass(described);
            }
        }

        @Override
        protected @Nullable Object resolveObject(final @Nullable Object object) {
            return object instanceof PathText path ? Path.of(path.text()) : object;
        }
    }
}
