package tutti.runtime.process;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.process.stop.JvmAccess;

/**
 * Defaults of the JDK that a program may set for its whole JVM, as they were before ranks ran: security providers and properties, handlers of URLs,
 * proxies, authentication, cookies, TLS, factories of sockets, and handlers of signals.
 *
 * <p>Most can be set once or cannot be read without creating them, so that the fields are read and written themselves. A field that this JDK does not
 * have is left out.
 */
final class JdkDefaults {
    private static final Logger LOG = LoggerFactory.getLogger(JdkDefaults.class);
    private static final String URL = "java.net.URL";
    private static final String CONNECTION = "java.net.URLConnection";
    private static final String SIGNAL = "jdk.internal.misc.Signal";
    private static final String HANDLER = SIGNAL + "$Handler";
    /** Classes and their static fields. */
    private static final List<List<String>> FIELDS = List.of(List.of("sun.security.jca.Providers", "providerList"), List.of(URL, "factory"),
        List.of("java.net.ProxySelector", "theProxySelector"), List.of("java.net.Authenticator", "theAuthenticator"),
        List.of("java.net.CookieHandler", "cookieHandler"), List.of("java.net.ResponseCache", "theResponseCache"),
        List.of("java.net.HttpURLConnection", "followRedirects"), List.of(CONNECTION, "defaultUseCaches"),
        List.of(CONNECTION, "defaultAllowUserInteraction"), List.of(CONNECTION, "fileNameMap"), List.of(CONNECTION, "factory"),
        List.of("javax.net.ssl.SSLContext", "defaultContext"), List.of("javax.net.ssl.HttpsURLConnection", "defaultHostnameVerifier"),
        List.of("javax.net.ssl.HttpsURLConnection", "defaultSSLSocketFactory"), List.of("java.net.Socket", "factory"),
        List.of("java.net.ServerSocket", "factory"), List.of("java.net.DatagramSocket", "factory"));
    /** Classes and their static fields that are maps. */
    private static final List<List<String>> MAPS = List.of(List.of("java.security.Security", "props"), List.of(CONNECTION, "defaultCaching"));

    private final Lookup lookup;
    private final List<Field> fields = new ArrayList<>();
    private final List<Entries> maps = new ArrayList<>();
    private final @Nullable Entries signals;

    /** Reads the current defaults. */
    private JdkDefaults(final Lookup lookup) {
        this.lookup = lookup;
        FIELDS.forEach(f -> addField(f.getFirst(), f.getLast()));
        MAPS.forEach(m -> addMap(m.getFirst(), m.getLast()));
        signals = entries(SIGNAL, "handlers");
    }

    /** Returns the current defaults; null where the JVM does not grant access to them. */
    static @Nullable JdkDefaults read() {
        final JvmAccess access = JvmAccess.find();
        return access == null ? null : new JdkDefaults(access.lookup());
    }

    /** A field and its value. */
    private record Field(String owner, VarHandle handle, @Nullable Object value) {
        @Nullable
        Object now() {
            return handle.getVolatile();
        }
    }

    /** A map and its entries. */
    private record Entries(Map<Object, Object> map, Map<Object, Object> copy) {
        void restore() {
            if (!map.equals(copy)) {
                map.keySet().retainAll(copy.keySet());
                map.putAll(copy);
            }
        }
    }

    private void addField(final String owner, final String name) {
        final VarHandle handle = handle(owner, name);
        if (handle != null) {
            fields.add(new Field(owner, handle, handle.getVolatile()));
        }
    }

    private void addMap(final String owner, final String name) {
        final Entries found = entries(owner, name);
        if (found != null) {
            maps.add(found);
        }
    }

    @SuppressWarnings("unchecked") // a map of the JDK
    private @Nullable Entries entries(final String owner, final String name) {
        final VarHandle handle = handle(owner, name);
        if (handle == null) {
            return null;
        }
        final Map<Object, Object> map = (Map<Object, Object>) handle.get();
        return new Entries(map, new HashMap<>(map));
    }

    private @Nullable VarHandle handle(final String owner, final String name) {
        try {
            return lookup.unreflectVarHandle(lookup.findClass(owner).getDeclaredField(name));
        } catch (final ReflectiveOperationException e) {
            LOG.debug("this JDK has no such default: {}.{}", owner, name, e);
            return null;
        }
    }

    /** Restores the defaults that are objects of a rank which has ended: others could not use them. */
    void repair() {
        for (final Field field : fields) {
            final Object now = field.now();
            if (now != field.value && now != null && RankLoader.isOfEnded(now.getClass())) {
                restore(field);
            }
        }
    }

    /** Restores all defaults. */
    void restore() {
        for (final Field field : fields) {
            if (!java.util.Objects.equals(field.now(), field.value)) {
                restore(field);
            }
        }
        maps.forEach(Entries::restore);
        if (signals != null && !signals.map.equals(signals.copy)) {
            restoreSignals(signals);
        }
    }

    private void restore(final Field field) {
        field.handle.setVolatile(field.value);
        if (field.owner.equals(URL)) {
            // made by the factory that was set
            final VarHandle handlers = handle(URL, "handlers");
            if (handlers != null) {
                ((Map<?, ?>) handlers.get()).clear();
            }
        }
    }

    private void restoreSignals(final Entries before) {
        try {
            final Class<?> signal = lookup.findClass(SIGNAL);
            final Class<?> handler = lookup.findClass(HANDLER);
            final MethodHandle handle = lookup.findStatic(signal, "handle", MethodType.methodType(handler, signal, handler));
            final Object byDefault = lookup.findStaticGetter(handler, "SIG_DFL", handler).invoke();
            for (final Map.Entry<Object, Object> now : new HashMap<>(before.map).entrySet()) {
                final Object then = before.copy.get(now.getKey());
                if (then != now.getValue()) {
                    handle.invoke(now.getKey(), then == null ? byDefault : then);
                }
            }
            before.restore();
        } catch (final Throwable e) {
            LOG.warn("handlers of signals cannot be restored", e);
        }
    }
}
