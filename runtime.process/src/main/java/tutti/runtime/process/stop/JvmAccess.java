package tutti.runtime.process.stop;

import java.lang.invoke.MethodHandles.Lookup;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Access to the JVM beyond its public interface: all members of the JDK, and the code of its classes.
 *
 * <p>Needs a HotSpot JVM with native access enabled; elsewhere {@link #find} returns null. The first use takes about 100 ms. Safe for any thread.
 *
 * <p><b>Threads.</b> The class that holds the access is initialised once, by the first thread, while others wait.
 *
 * @param jvmti      functions of JVMTI
 * @param references references to objects, as arguments of native functions
 * @param lookup     a lookup with access to all members of the JDK
 */
public record JvmAccess(Jvmti jvmti, JniReferences references, Lookup lookup) {
    private static final Logger LOG = LoggerFactory.getLogger(JvmAccess.class);

    /** Finds the library of the JVM. Must be called before a program can change the properties of the JVM, which name it. */
    public static void prepare() {
        LOG.debug("library of the JVM: {}", JavaVm.LIBRARY);
    }

    /** Returns the access; null where this JVM does not grant it, which is logged once. */
    public static JvmAccess find() {
        return Holder.INSTANCE;
    }

    /**
     * Replaces the code of classes, all of them or none. Frames on stacks keep the code that they run.
     *
     * @param classes the new class files, by class
     * @throws Throwable when the JVM refuses a file
     */
    public void redefine(final Map<Class<?>, byte[]> classes) throws Throwable {
        final Map<Long, byte[]> byReference = new LinkedHashMap<>();
        try {
            for (final Map.Entry<Class<?>, byte[]> entry : classes.entrySet()) {
                byReference.put(references.newReference(entry.getKey()), entry.getValue());
            }
            jvmti.redefine(byReference);
        } finally {
            for (final long reference : byReference.keySet()) {
                references.release(reference);
            }
        }
    }

    /** Holder of the access, created at the first use. */
    private static final class Holder {
        static final JvmAccess INSTANCE = open();

        private static JvmAccess open() {
            try {
                final JavaVm vm = new JavaVm();
                final Jvmti jvmti = new Jvmti(vm);
                final JniReferences references = JniReferences.open(vm);
                return new JvmAccess(jvmti, references, references.trustedLookup());
            } catch (final Throwable e) {
                LOG.warn("no access to this JVM: threads that do not end by themselves cannot be stopped, and a program may end the JVM", e);
                return null;
            }
        }
    }
}
