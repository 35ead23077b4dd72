package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.Attributes;
import java.util.jar.Attributes.Name;
import java.util.jar.Manifest;
import tutti.runtime.comm.Rank;
import tutti.runtime.comm.RankScope;

/**
 * Loads the program of one rank, so that the rank has statics of its own.
 *
 * <p>Order: the JDK's packages from the JDK; packages that a {@link RankClasses} names from its loader, and never from the program, but for
 * the classes that every rank defines for itself; everything else from the {@link ProgramClassPath}. Parallel capable.
 */
public final class RankLoader extends ClassLoader implements RankScope {
    private static final String BRIDGE = RankSystem.class.getName();

    static {
        registerAsParallelCapable();
    }

    private final ProgramClassPath image;
    private final SharedClasses shared;
    private final Rank rank;
    private final ConcurrentHashMap<ClassPathEntry, ProtectionDomain> domains = new ConcurrentHashMap<>();
    private volatile RankProcess process;

    /**
     * A loader of one rank.
     *
     * @param image  the program, open as long as the rank runs
     * @param shared what bundles share with programs
     * @param rank   whose program it loads
     */
    public RankLoader(final ProgramClassPath image, final Collection<? extends RankClasses> shared, final Rank rank) {
        super(ClassLoader.getPlatformClassLoader());
        this.image = image;
        this.shared = new SharedClasses(shared);
        this.rank = rank;
    }

    @Override
    public Rank rank() {
        return rank;
    }

    /** What it loads. */
    ProgramClassPath image() {
        return image;
    }

    /** The process that runs the program, or null. */
    RankProcess process() {
        return process;
    }

    void attach(final RankProcess owner) {
        process = owner;
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            final Class<?> known = findLoadedClass(name);
            final Class<?> found = known != null ? known : load(name);
            if (resolve) {
                resolveClass(found);
            }
            return found;
        }
    }

    private Class<?> load(final String name) throws ClassNotFoundException {
        final String packageName = packageOf(name);
        if (JdkPackages.contains(packageName)) {
            return ClassLoader.getSystemClassLoader().loadClass(name);
        }
        if (BRIDGE.equals(name)) {
            return RankSystem.class;
        }
        final ClassLoader owner = shared.owner(packageName);
        if (owner == null) {
            return findClass(name);
        }
        return shared.isPerRank(name) ? define(name, shared.bytes(name, owner), null) : owner.loadClass(name);
    }

    @Override
    protected Class<?> findClass(final String name) throws ClassNotFoundException {
        final ProgramClassPath.ImageClass found = read(name);
        definePackageOf(name, found.part());
        return define(name, found.bytes(), domains.computeIfAbsent(found.part(), this::domain));
    }

    private ProgramClassPath.ImageClass read(final String name) throws ClassNotFoundException {
        try {
            final ProgramClassPath.ImageClass found = image.findClass(name);
            if (found == null) {
                throw new ClassNotFoundException(name);
            }
            return found;
        } catch (final UncheckedIOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private Class<?> define(final String name, final byte[] bytes, final ProtectionDomain domain) {
        return defineClass(name, bytes, 0, bytes.length, domain);
    }

    private ProtectionDomain domain(final ClassPathEntry part) {
        return new ProtectionDomain(new CodeSource(part.location(), (Certificate[]) null), null, this, null);
    }

    private void definePackageOf(final String className, final ClassPathEntry part) {
        final String name = packageOf(className);
        if (name.isEmpty() || getDefinedPackage(name) != null) {
            return;
        }
        final Manifest manifest = part.manifest();
        final Attributes main = manifest == null ? new Attributes() : manifest.getMainAttributes();
        final Attributes own = manifest == null ? null : manifest.getAttributes(name.replace('.', '/').concat("/"));
        try {
            definePackage(name, value(own, main, Name.SPECIFICATION_TITLE), value(own, main, Name.SPECIFICATION_VERSION),
                value(own, main, Name.SPECIFICATION_VENDOR), value(own, main, Name.IMPLEMENTATION_TITLE),
                value(own, main, Name.IMPLEMENTATION_VERSION), value(own, main, Name.IMPLEMENTATION_VENDOR),
                "true".equalsIgnoreCase(value(own, main, Name.SEALED)) ? part.location() : null);
        } catch (final IllegalArgumentException e) {
            // another thread defined the package at the same time
            assert getDefinedPackage(name) != null : name;
        }
    }

    private static String value(final Attributes own, final Attributes main, final Name key) {
        final String value = own == null ? null : own.getValue(key);
        return value != null ? value : main.getValue(key);
    }

    private static String packageOf(final String className) {
        final int dot = className.lastIndexOf('.');
        return dot < 0 ? "" : className.substring(0, dot);
    }

    @Override
    protected URL findResource(final String name) {
        final var urls = image.urls(name);
        return urls.isEmpty() ? null : urls.getFirst();
    }

    @Override
    protected Enumeration<URL> findResources(final String name) {
        return Collections.enumeration(image.urls(name));
    }

    /** As by {@link #getResource}, but without opening the jar again. */
    @Override
    public InputStream getResourceAsStream(final String name) {
        try {
            final InputStream jdk = getParent().getResourceAsStream(name);
            return jdk != null ? jdk : image.open(name);
        } catch (final IOException e) {
            return null;
        }
    }
}
