@Deprecated
public package samples;

class ModifierOfPackage {
    int x;
}
