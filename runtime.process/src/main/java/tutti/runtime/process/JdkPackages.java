package tutti.runtime.process;

import java.lang.module.ResolvedModule;
import java.util.Set;
import java.util.stream.Collectors;

/** The packages of the JDK itself. A program loads them from the JDK only. */
final class JdkPackages {
    private static final Set<String> NAMES = ModuleLayer.boot().configuration().modules().stream()
        .filter(JdkPackages::isJdkModule)
        .flatMap(module -> module.reference().descriptor().packages().stream())
        .collect(Collectors.toUnmodifiableSet());

    private JdkPackages() {}

    static boolean contains(final String packageName) {
        return NAMES.contains(packageName);
    }

    private static boolean isJdkModule(final ResolvedModule module) {
        return module.reference().location().filter(location -> "jrt".equals(location.getScheme())).isPresent();
    }
}
