#!/usr/bin/env python3
"""Packs the VS Code extension: a .vsix is a zip with a manifest.  Needs no network.

usage: build_vsix.py [OUTPUT]      (default: dagaz-VERSION.vsix in the current folder)
"""
import json
import pathlib
import sys
import zipfile
from xml.sax.saxutils import escape

HERE = pathlib.Path(__file__).resolve().parent
FILES = ['package.json', 'extension.js', 'connection.js', 'language-configuration.json',
         'syntaxes/futhark.tmLanguage.json']
CONTENT_TYPES = '''<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
'''
MANIFEST = '''<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
<DisplayName>{displayName}</DisplayName>
<Description xml:space="preserve">{description}</Description>
<Categories>{categories}</Categories>
<Properties>
<Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}"/>
</Properties>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"
 Addressable="true"/>
</Assets>
</PackageManifest>
'''


def main(arguments):
    package = json.loads((HERE / 'package.json').read_text())
    fields = {key: escape(package[key])
              for key in ('name', 'version', 'publisher', 'displayName', 'description')}
    manifest = MANIFEST.format(categories=escape(','.join(package['categories'])),
                               engine=escape(package['engines']['vscode']), **fields)
    output = pathlib.Path(arguments[0] if arguments else f'dagaz-{package["version"]}.vsix')
    with zipfile.ZipFile(output, 'w', zipfile.ZIP_DEFLATED) as archive:
        contents = [('[Content_Types].xml', CONTENT_TYPES), ('extension.vsixmanifest', manifest)]
        contents += [(f'extension/{name}', (HERE / name).read_text()) for name in FILES]
        for name, text in contents:
            # A fixed date: the same sources are the same bytes.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text)
    print(output)


if __name__ == '__main__':
    main(sys.argv[1:])
